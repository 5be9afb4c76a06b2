import { and, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";
import type { DeliveryFacts, Disputes } from "@/lib/domain/money/dispute-ports.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import { audited, databaseNow } from "../audit.ts";
import type { Database, Orm } from "../client.ts";
import { isCharged } from "../figures/charged-reports.ts";
import { chargedAt } from "../order-rows.ts";
import { inPage, readPage } from "../paging.ts";
import { findRow, matches, readFirst } from "../rows.ts";
import { disputes, orders, plans } from "../schema.ts";

/** Disputes on SQL. */
export function createDisputes({ orm, query }: Database): Disputes {
  const joined = () =>
    orm
      .select({
        ...getTableColumns(disputes),
        order: orders,
        planName: sql<string>`${plans.metadata}->>'name'`,
      })
      .from(disputes)
      .innerJoin(orders, eq(orders.orderId, disputes.orderId))
      .innerJoin(plans, eq(plans.planId, orders.planId));

  return {
    async write(order, { disputeId, amount, reason, status, respondBy }) {
      const plan = await findRow(orm, plans, { planId: order.planId });
      if (!plan) return;
      await orm
        .insert(disputes)
        .values({
          disputeId,
          orderId: order.orderId,
          owner: plan.owner,
          amount,
          reason,
          status,
          respondBy,
          createdAt: databaseNow,
          updatedAt: databaseNow,
        })
        .onConflictDoUpdate({
          target: disputes.disputeId,
          set: { status, reason, amount, respondBy, updatedAt: databaseNow },
          // A stale answer of the processor's does not reopen a decision; an appeal turns one that was lost.
          setWhere: sql`(${disputes.status} = 'lost' and excluded.status = 'won') or (${disputes.status} not in ('won', 'lost')
            and (${disputes.status}, ${disputes.reason}, ${disputes.amount}, ${disputes.respondBy})
              is distinct from (excluded.status, excluded.reason, excluded.amount, excluded.respond_by))`,
        });
    },
    find: (disputeId) => readFirst(joined().where(eq(disputes.disputeId, disputeId))),
    list: (owner, { status, ...query }) =>
      readPage({
        orm,
        from: disputes,
        where: matches(disputes, { owner }, { status }),
        id: "disputeId",
        query,
        read: (page) => inPage(joined().$dynamic(), page),
      }),
    readFacts: (order, mostCalls) => readFacts(query, order, mostCalls),
    keepEvidence: (disputeId, evidence, audit) =>
      audited(orm, audit, async (transaction) => {
        await transaction
          .update(disputes)
          .set({ evidence, updatedAt: databaseNow })
          .where(and(eq(disputes.disputeId, disputeId), isNull(disputes.evidence)));
        return (await findRow(transaction, disputes, { disputeId }))?.evidence ?? evidence;
      }),
    dropEvidence: (disputeId) => setUnsubmitted(orm, disputeId, { evidence: null }),
    markSubmitted: (disputeId, evidence) =>
      setUnsubmitted(orm, disputeId, { evidence, submittedAt: databaseNow }),
  };
}

async function setUnsubmitted(
  orm: Orm,
  disputeId: string,
  change: { evidence: Record<string, string> | null; submittedAt?: SQL },
): Promise<void> {
  await orm
    .update(disputes)
    .set({ ...change, updatedAt: databaseNow })
    .where(and(eq(disputes.disputeId, disputeId), isNull(disputes.submittedAt)));
}

const TERMS = `
  select v.created_at as "createdAt", p.metadata->>'description' as description
  from plan_versions v join plans p on p.plan_id = v.plan_id where v.plan_id = $1 and v.version = $2`;
// A call that is refunded, in credits or in money, is no paid one. It has one such refund at most.
const REFUND = "f.request_key = s.request_key and f.state in ('open', 'paid')";
const PAID = "filter (where f.refund_id is null)";
const SUMS = `
  select count(*) ${PAID} as calls, coalesce(sum(s.amount) ${PAID}, 0) as credits, count(f.refund_id) as "refundedCalls",
    min(s.created_at) ${PAID} as first, max(s.created_at) ${PAID} as last,
    coalesce((select encode(b.hash, 'hex') from balances b where b.account = $1 and b.plan_id = $2), '') as "ledgerHead"
  from settlements s left join refunds f on ${REFUND}
  where s.account = $1 and s.plan_id = $2 and s.created_at >= $3::timestamptz`;
const LOG = `
  select s.created_at as at, s.agent_request_id as "agentRequestId", s.amount as credits, s.settlement_id as "settlementId",
    r.method, r.path, r.http_status as "httpStatus", r.work_ms::float8 as "workMs"
  from settlements s left join request_reports r on r.request_key = s.request_key and ${isCharged("r")}
  where s.account = $1 and s.plan_id = $2 and s.created_at >= $3::timestamptz
    and not exists (select 1 from refunds f where ${REFUND}) order by s.created_at desc limit $4`;
const EARLIER = `
  select ${chargedAt("o")} as at, o.price, o.currency from orders o
    join plans p on p.plan_id = o.plan_id join plans q on q.owner = p.owner
  where o.account = $1 and q.plan_id = $2 and o.order_id <> $3 and o.status = 'minted'
    and o.price > 0 and o.reversed_amount = 0 and ${chargedAt("o")} < $4::timestamptz order by at`;

type Sums = Omit<DeliveryFacts, "planVersion" | "planDescription" | "earlierOrders" | "log">;

async function readFacts(
  query: Database["query"],
  { orderId, account, planId, planVersion, chargedAt, createdAt }: OrderRecord,
  mostCalls: number,
): Promise<DeliveryFacts> {
  const since = (chargedAt ?? createdAt).toISOString();
  const [[terms], [sums], log, earlierOrders] = await Promise.all([
    query<{ createdAt: Date; description: string | null }>(TERMS, [planId, planVersion]),
    query<Sums>(SUMS, [account, planId, since]),
    query<DeliveryFacts["log"][number]>(LOG, [account, planId, since, mostCalls]),
    query<DeliveryFacts["earlierOrders"][number]>(EARLIER, [account, planId, orderId, since]),
  ]);
  return {
    planVersion: { version: planVersion, createdAt: terms?.createdAt ?? createdAt },
    planDescription: terms?.description ?? "",
    earlierOrders,
    ...(sums as Sums),
    log,
  };
}
