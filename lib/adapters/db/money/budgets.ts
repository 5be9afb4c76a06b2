import { toJson } from "@turnpike/payments/protocol";
import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type {
  Approvals,
  ApprovalView,
  Budgets,
  LimitUse,
  NewApproval,
} from "@/lib/domain/budgets/budget-ports.ts";
import { audited, auditedIf, databaseNow } from "../audit.ts";
import { type Database, inTransaction, type Orm, rowsOf } from "../client.ts";
import { inPage, readPage } from "../paging.ts";
import { fromStoredPrice } from "../plan-rows.ts";
import { findRow, matches, readFirst, readValue } from "../rows.ts";
import { approvals, budgets, plans, planVersions } from "../schema.ts";

export function createBudgets(database: Database): Budgets {
  const { orm, query } = database;
  const count = createCount(database);
  return {
    async countNext() {
      const moved = await readValue<number>(query("select move_counts($1)", [MOVED]));
      if (moved) return moved;
      const account = await readValue<string>(query(UNCOUNTED));
      if (account) await count(account);
      return account ? 1 : 0;
    },
    async find({ scope, account }) {
      const [row] = await orm
        .select({ document: budgets.document, now: sql<string>`app_now()` })
        .from(budgets)
        .where(matches(budgets, { scope, account }));
      if (!row) return null;
      const used = await query<Use>(USED, [scope]);
      const use = row.document.limits.map((limit, index) => ({
        ...limit,
        ...(used[index] ?? NONE),
      }));
      return { document: row.document, use, now: new Date(row.now) };
    },
    async set({ scope, account }, change, note) {
      await count(account);
      await audited(orm, note, async (transaction) => {
        // The first budgets of a scope have no row that could be locked.
        await transaction.execute(
          sql`select pg_advisory_xact_lock(hashtextextended(${`budgets/${scope}`}, 0))`,
        );
        const known = await findRow(transaction, budgets, { scope, account });
        const document = change(known?.document);
        const written = document && toJson(document);
        await transaction.execute(sql`select set_budgets(${scope}, ${account}, ${written}::jsonb)`);
      });
    },
  };
}

const UNCOUNTED = `
  select account from budgets b where not exists (
    select 1 from budgets c where c.scope = b.account and c.counted_at is not null) order by random() limit 1`;

/** How many counts of the release before are moved at once, while the calls of their account wait. */
const MOVED = 1_000;

/** Counts what an account used before its first budgets, once. */
function createCount(database: Database): (account: string) => Promise<void> {
  // All calls of a month are read.
  const { query } = database.for("background");
  const counting = new Map<string, Promise<void>>();

  const countOnce = async (account: string): Promise<void> => {
    if (!(await readValue<boolean>(query("select begin_count($1)", [account])))) return;
    await query("select pass_writers($1)", [account]);
    let read: string | null = null;
    do
      read =
        (await readValue<string>(query("select read_uses($1, $2)::text", [account, read]))) ?? "";
    while (!isLast(read));
    await query("select count_budgets($1, $2)", [account, read]);
  };
  return (account) => {
    const running = counting.get(account) ?? countOnce(account);
    counting.set(account, running);
    return running.finally(() => counting.delete(account));
  };
}

/** Its amounts are not read here: numbers of JSON lose digits. */
const isLast = (read: string) => (JSON.parse(read) as { isLast: boolean }).isLast;

type Use = Pick<LimitUse, "used" | "startedAt" | "resetsAt">;
const NONE: Use = { used: 0n, startedAt: null, resetsAt: null };
const USED = `
  select budget_used(b.scope, b.account, b.document->>'currency', e.l, null, app_now())::numeric as used, w.at as "startedAt",
    case when w.at is not null then (w.at at time zone 'UTC' + ('1 ' || (e.l->>'period'))::interval) at time zone 'UTC' end as "resetsAt"
  from budgets b cross join jsonb_array_elements(b.document->'limits') with ordinality as e(l, n)
  cross join lateral (select case when e.l->>'period' <> 'call' then date_trunc(e.l->>'period', app_now(), 'UTC') end as at) w
  where b.scope = $1 order by e.n`;

/** When a request that waits, or may pass, expires: never later than the token that asked, which could not pay any more. */
const expiryAfter = (minutes: unknown, jti: unknown) =>
  sql`least(app_now() + make_interval(mins => ${minutes}), (select t.expires_at from tokens t where t.jti = ${jti}))`;

/** How many requests of an account may wait at once. */
const MOST_PENDING = 100;
/** As many of them may be for one builder, whose endpoint may name any number of paths. */
const MOST_OF_BUILDER = 10;

const HISTORY = sql<ApprovalView["history"]>`(select json_build_object(
  'orders', (select count(*) from orders o join plans q on q.plan_id = o.plan_id
    where o.account = ${approvals.account} and q.owner = ${approvals.builder} and o.status = 'minted'),
  'approved', count(*) filter (where a.state in ('approved', 'used')), 'declined', count(*) filter (where a.state = 'declined'))
  from approvals a where a.account = ${approvals.account} and a.builder = ${approvals.builder})`;
const STATE = sql<ApprovalView["state"]>`case when ${approvals.state} in ('pending', 'approved')
  and ${approvals.expiresAt} <= app_now() then 'expired' else ${approvals.state} end`;

const { secretHash: _, subjectHash: _h, minutes: _m, ...shown } = getTableColumns(approvals);
const view = {
  ...shown,
  planName: sql<string>`${plans.metadata}->>'name'`,
  planPrice: sql`${planVersions.price}`.mapWith(fromStoredPrice),
  state: STATE,
  history: HISTORY,
};

export function createApprovals(orm: Orm): Approvals {
  const read = () =>
    orm
      .select(view)
      .from(approvals)
      .innerJoin(plans, eq(plans.planId, approvals.planId))
      .innerJoin(
        planVersions,
        and(eq(planVersions.planId, plans.planId), eq(planVersions.version, plans.version)),
      )
      .$dynamic();
  return {
    ask: (request) => inTransaction(orm, (transaction) => ask(transaction, request)),
    find: (account, approvalId) =>
      readFirst(read().where(matches(approvals, { account, approvalId }))),
    list: (account, query) =>
      readPage({
        orm,
        from: approvals,
        where: and(
          matches(approvals, { account }, { delegationId: query.delegationId }),
          query.status && sql`${STATE} = ${query.status}`,
        ),
        id: "approvalId",
        query,
        read: (page) => inPage(read(), page),
      }),
    decide: ({ approvalId, account, state, secretHash, keyId }, note) =>
      auditedIf(orm, note, async (transaction) => {
        const rows = await transaction
          .update(approvals)
          .set({
            state,
            decidedAt: databaseNow,
            decidedKey: keyId,
            decidedBy: secretHash ? "link" : keyId ? "key" : "person",
            secretHash: null,
            expiresAt: expiryAfter(approvals.minutes, approvals.jti),
          })
          .where(
            and(
              matches(approvals, { approvalId, account, state: "pending" }),
              sql`${approvals.expiresAt} > app_now()`,
              secretHash === null ? undefined : eq(approvals.secretHash, secretHash),
            ),
          )
          .returning({ approvalId: approvals.approvalId });
        return rows.length > 0;
      }),
  };
}

async function ask(
  transaction: Orm,
  { secretHash, ...request }: NewApproval,
): ReturnType<Approvals["ask"]> {
  const { account, jti, subject, builder, maxCents, maxCredits } = request;
  // One after another for each account: its budgets are what asks.
  await transaction.execute(sql`select 1 from budgets where scope = ${account} for no key update`);
  const own = sql`account = ${account} and jti = ${jti} and subject_hash = subject_hash(${subject})
    and state in ('pending', 'approved')`;
  await transaction.execute(
    sql`update approvals set state = 'expired' where ${own} and (expires_at <= app_now()
      or state = 'approved' and (max_cents < ${maxCents.toString()}::numeric or max_credits < ${maxCredits.toString()}::numeric))`,
  );
  const select = sql`select approval_id from approvals where ${own}`;
  const open = await readValue<string>(rowsOf(transaction, select));
  if (open) return { approvalId: open };
  const [pending] = await rowsOf<{ all: string; ofBuilder: string }>(
    transaction,
    sql`select count(*)::text as "all", count(*) filter (where builder = ${builder})::text as "ofBuilder"
      from approvals where account = ${account} and state = 'pending' and expires_at > app_now()`,
  );
  if (Number(pending?.all) >= MOST_PENDING || Number(pending?.ofBuilder) >= MOST_OF_BUILDER)
    return null;
  const [asks] = await rowsOf<{ minutes: number; reason: NewApproval["reason"] }>(
    transaction,
    sql`select minutes, reason from budget_asks(${account}, ${request.delegationId}, ${builder}, app_now())`,
  );
  const minutes = asks?.minutes ?? 30;
  await transaction.insert(approvals).values({
    ...request,
    reason: request.reason ?? asks?.reason ?? "amount",
    subjectHash: sql`subject_hash(${subject})` as never,
    state: "pending",
    minutes,
    secretHash,
    createdAt: databaseNow as never,
    expiresAt: expiryAfter(minutes, jti) as never,
  });
  return { approvalId: request.approvalId };
}
