import { randomUUID } from "node:crypto";
import { and, desc, eq, getTableColumns, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type {
  DeliveryRecord,
  DueDelivery,
  EndpointChanges,
  EndpointCounts,
  EndpointRecord,
  EventRecord,
  Webhooks,
} from "@/lib/domain/events/event-ports.ts";
import { audited, auditedIf, databaseNow, inTurn } from "../audit.ts";
import type { Database, Orm } from "../client.ts";
import { inPage, readPage } from "../paging.ts";
import { findRows, matches, readFirst, readRow, readValue } from "../rows.ts";
import { olderWebhookSecrets, webhookDeliveries, webhookEndpoints } from "../schema.ts";
import { EVENT_COLUMNS } from "./events.ts";

// Of one subject only the oldest delivery that waits. One endpoint takes at most `$5` places, one account `$6` and all `$7`, less
// those under way (`$1`, `$2`, `$3`), and who has the fewest is next, so that none delays another for long. Among equals a draw
// decides: sequence numbers favor new accounts, and due times those that let deliveries pile up. A lease is no attempt yet: what a
// restart or a crash breaks off says nothing about the receiver.
const LEASE = `
  with busy as (
    select * from unnest($1::text[], $2::text[], $3::int[]) as b(endpoint_id, account, n)
  ), due as (
    select w.account, q.*, coalesce(b.n, 0) + row_number() over (partition by q.endpoint_id order by q.sequence) as place
    from webhook_endpoints w left join busy b on b.endpoint_id = w.endpoint_id
    cross join lateral (
      select d.endpoint_id, d.sequence from webhook_deliveries d
      where d.endpoint_id = w.endpoint_id and d.state = 'waiting' and d.due_at <= app_now()
        and coalesce(d.leased_until, '-infinity') < clock_timestamp()
        and not exists (select 1 from webhook_deliveries e where e.endpoint_id = d.endpoint_id and e.subject = d.subject
          and e.state = 'waiting' and e.sequence < d.sequence)
      order by d.sequence limit greatest($5::int - coalesce(b.n, 0), 0)
    ) q
    where w.state = 'active' and w.removed_at is null
      and not exists (select 1 from accounts a where a.address = w.account and a.stopped_at is not null)
  ), next as (
    select endpoint_id, sequence from (
      select *, coalesce((select sum(n) from busy b where b.account = due.account), 0)
        + row_number() over (partition by account order by place, sequence) as turn
      from due
    ) placed where turn <= $6::int order by turn, md5(account || $8) limit greatest($7::int - (select coalesce(sum(n), 0) from busy), 0)
  ), locked as (
    select d.endpoint_id, d.sequence from next join webhook_deliveries d on d.endpoint_id = next.endpoint_id and d.sequence = next.sequence
    where d.state = 'waiting' and coalesce(d.leased_until, '-infinity') < clock_timestamp() for update of d skip locked
  )
  update webhook_deliveries d set leased_until = clock_timestamp() + make_interval(secs => $4), fence = fence + 1
  from locked where d.endpoint_id = locked.endpoint_id and d.sequence = locked.sequence
  returning d.endpoint_id as "endpointId", d.account, d.sequence, d.type, d.subject, d.state, d.attempts, d.due_at as "dueAt",
    d.fence, d.tries, d.created_at as "createdAt", d.delivered_at as "deliveredAt"`;

const EVENTS_OF = `
  select ${EVENT_COLUMNS} from unnest($1::text[], $2::bigint[]) as k(account, sequence)
  join events e on e.account = k.account and e.sequence = k.sequence`;

/** How many tries a delivery keeps. */
const KEPT_TRIES = 12;
const FINISH = `
  with ended as (update webhook_deliveries set leased_until = null, attempts = attempts + 1,
    tries = (select jsonb_agg(t order by n) from (select t, n from jsonb_array_elements(tries || $4::jsonb) with ordinality x(t, n)
      order by n desc limit ${KEPT_TRIES}) kept),
    state = case when $5::boolean then 'delivered' when $6::float8 is null then 'failed' else 'waiting' end,
    delivered_at = case when $5::boolean then app_now() end,
    due_at = app_now() + make_interval(secs => coalesce($6::float8, 0))
  where endpoint_id = $1 and sequence = $2 and fence = $3 and state = 'waiting' returning 1)
  select disable_endpoint($1, $7) from ended`;

/** How many deliveries a list counts, and how many the median of answers is taken of: an endpoint can have millions. */
const MOST_COUNTED = 10_000;
const MOST_TIMED = 1_000;
// Each of these by its own index.
const COUNTS = `
  select (select count(*)::int from webhook_deliveries where endpoint_id = $1 and state = 'delivered'
      and created_at > app_now() - interval '7 days') as delivered,
    (select count(*)::int from webhook_deliveries where endpoint_id = $1 and state = 'waiting') as waiting,
    (select count(*)::int from webhook_deliveries where endpoint_id = $1 and state = 'failed') as failed,
    (select percentile_cont(0.5) within group (order by (tries->-1->>'ms')::float8) from (
      select tries from webhook_deliveries where endpoint_id = $1 and state = 'delivered'
        and created_at > app_now() - interval '7 days' order by created_at desc limit ${MOST_TIMED}) newest) as "medianMs"`;

/** Endpoints and their deliveries on SQL. */
export function createWebhooks(database: Database): Webhooks {
  const { orm, query } = database;
  return {
    ...createEndpoints(database),
    counts: (endpointId) => readRow(query<EndpointCounts>(COUNTS, [endpointId])),
    ...createDeliveryList(database),
    async replay({ endpointId }, { from, to, isForced }) {
      const range = [endpointId, from, to, isForced];
      return (await readValue<number>(query("select replay_events($1, $2, $3, $4)", range))) ?? 0;
    },
    async lease({ busy, most, leaseSecs, draw }) {
      const underWay = [...busy.values()];
      const leased = await query<DeliveryRecord>(LEASE, [
        [...busy.keys()],
        underWay.map(({ account }) => account),
        underWay.map(({ n }) => n),
        leaseSecs,
        ...[most.endpoint, most.account, most.all],
        draw,
      ]);
      if (leased.length === 0) return [];
      const events = await query<EventRecord>(EVENTS_OF, [
        leased.map(({ account }) => account),
        leased.map(({ sequence }) => sequence),
      ]);
      const ids = [...new Set(leased.map(({ endpointId }) => endpointId))];
      const endpoints = await listEndpoints(orm, inArray(webhookEndpoints.endpointId, ids));
      return leased.flatMap((delivery): DueDelivery[] => {
        const event = events.find(
          ({ account, sequence }) => account === delivery.account && sequence === delivery.sequence,
        );
        const endpoint = endpoints.find(({ endpointId }) => endpointId === delivery.endpointId);
        return endpoint ? [{ ...delivery, event: event ?? null, endpoint }] : [];
      });
    },
    async finish({ endpointId, sequence, fence }, end) {
      const { retrySecs = null, disables = null } = end.delivered ? {} : end;
      const ended = await query(FINISH, [
        endpointId,
        sequence,
        fence,
        JSON.stringify([end.last]),
        end.delivered,
        retrySecs,
        disables,
      ]);
      return ended.length > 0;
    },
  };
}

/** Of a delivery that waits, the oldest one of its subject where it is another. Its table is named by hand, as the inner one is the same. */
const waitsFor = sql`(select min(e.sequence) from webhook_deliveries e
  where ${webhookDeliveries}.state = 'waiting' and e.endpoint_id = ${webhookDeliveries}.endpoint_id
    and e.subject = ${webhookDeliveries}.subject and e.state = 'waiting' and e.sequence < ${webhookDeliveries}.sequence)`;

/** A page of an endpoint's deliveries, each with the one that it waits for. */
const createDeliveryList = ({ orm }: Database): Pick<Webhooks, "listDeliveries"> => ({
  listDeliveries: (endpointId, { status, type, ...wanted }) =>
    readPage({
      orm,
      from: webhookDeliveries,
      where: matches(webhookDeliveries, { endpointId }, { state: status, type }),
      id: "sequence",
      query: wanted,
      countedUpTo: MOST_COUNTED,
      read: (page) =>
        inPage(
          orm
            .select({
              ...getTableColumns(webhookDeliveries),
              waitsFor: waitsFor.mapWith(Number) as SQL<number | null>,
            })
            .from(webhookDeliveries)
            .$dynamic(),
          page,
        ),
    }),
});

const isKept = isNull(webhookEndpoints.removedAt);

/** Endpoints with the secrets that also sign, beside the current and the previous one. */
async function listEndpoints(orm: Orm, where: SQL | undefined): Promise<EndpointRecord[]> {
  const kept = and(where, isKept);
  const endpoints = await findRows(orm, webhookEndpoints, kept, webhookEndpoints.createdAt);
  const ids = endpoints.map(({ endpointId }) => endpointId);
  if (ids.length === 0) return [];
  const { endpointId, until, createdAt } = olderWebhookSecrets;
  const isValid = and(inArray(endpointId, ids), sql`${until} > app_now()`);
  const older = await findRows(orm, olderWebhookSecrets, isValid, desc(createdAt));
  return endpoints.map((endpoint) => ({
    ...endpoint,
    olderSecrets: older.filter(({ endpointId }) => endpointId === endpoint.endpointId),
  }));
}

/** Keeps the secret that a rotation displaced until its end; a rotation without an overlap ends all. */
async function keepOlderSecret(
  transaction: Orm,
  { endpointId, previousSecret: secret, previousHint: hint, previousUntil: until }: EndpointRecord,
  { previousSecret }: EndpointChanges,
): Promise<void> {
  const isOver = previousSecret ? sql`${olderWebhookSecrets.until} <= app_now()` : undefined;
  await transaction
    .delete(olderWebhookSecrets)
    .where(and(eq(olderWebhookSecrets.endpointId, endpointId), isOver));
  if (!previousSecret || !secret || !hint || !until) return;
  const kept = {
    secretId: randomUUID(),
    endpointId,
    secret,
    hint,
    until,
    createdAt: databaseNow,
  };
  await transaction.insert(olderWebhookSecrets).values(kept);
}

function createEndpoints({ orm }: Database) {
  const ofAccount = (account: string) => and(eq(webhookEndpoints.account, account), isKept);
  const withId = (endpointId: string) => and(eq(webhookEndpoints.endpointId, endpointId), isKept);
  return {
    insert: (endpoint, most, audit) =>
      auditedIf(orm, audit, async (transaction) => {
        const { account } = endpoint;
        await inTurn(transaction, account);
        if ((await transaction.$count(webhookEndpoints, ofAccount(account))) >= most) return false;
        await transaction.insert(webhookEndpoints).values(endpoint);
        return true;
      }),
    find: (account, endpointId) =>
      readFirst(listEndpoints(orm, and(ofAccount(account), withId(endpointId)))),
    list: (account) => listEndpoints(orm, ofAccount(account)),
    update: (endpointId, changes, audit) =>
      audited(orm, audit, async (transaction) => {
        if (Object.keys(changes).length === 0) return;
        // A try that is under way says nothing about the endpoint as it is from now on.
        if (changes.state === "active" || changes.url !== undefined) {
          const isLeased = sql`${webhookDeliveries.leasedUntil} > clock_timestamp()`;
          await transaction
            .update(webhookDeliveries)
            .set({ leasedUntil: null, fence: sql`${webhookDeliveries.fence} + 1` })
            .where(and(matches(webhookDeliveries, { endpointId, state: "waiting" }), isLeased));
        }
        if (changes.state === "active") {
          await transaction.execute(sql`select retry_undelivered(${endpointId})`);
        }
        await transaction.update(webhookEndpoints).set(changes).where(withId(endpointId));
      }),
    rotate: (read, changes, audit) =>
      auditedIf(orm, audit, async (transaction) => {
        const written = await transaction
          .update(webhookEndpoints)
          .set(changes)
          .where(
            and(
              withId(read.endpointId),
              eq(webhookEndpoints.secret, read.secret),
              sql`${webhookEndpoints.previousSecret} is not distinct from ${read.previousSecret}`,
            ),
          )
          .returning({ endpointId: webhookEndpoints.endpointId });
        if (written.length === 0) return false;
        await keepOlderSecret(transaction, read, changes);
        return true;
      }),
    delete: (endpointId, audit) =>
      audited(orm, audit, async (transaction) => {
        const older = eq(olderWebhookSecrets.endpointId, endpointId);
        await transaction.delete(olderWebhookSecrets).where(older);
        const removed = {
          ...{ removedAt: databaseNow, secret: "", previousSecret: null },
          // To a replica of an earlier release, too.
          ...{ state: "disabled" as const, disabledReason: "You disabled it." },
        };
        await transaction.update(webhookEndpoints).set(removed).where(withId(endpointId));
      }),
    queueTest: ({ account, endpointId }, audit) =>
      audited(orm, audit, async (transaction) => {
        // Its own subject, so that it does not wait for an earlier test.
        const subject = `${endpointId}.${randomUUID()}`;
        await transaction.execute(
          sql`select queue_event('webhook_endpoint.test', ${subject}, array[${account}], jsonb_build_object('endpointId', ${endpointId}::text))`,
        );
      }),
  } satisfies Partial<Webhooks>;
}
