import { EXACT } from "@turnpike/payments/protocol";
import { type SQL, sql } from "drizzle-orm";
import type { Refundable, Refunds } from "@/lib/domain/money/refund-ports.ts";
import { type Orm, rowsOf } from "../client.ts";
import { isCharged } from "../figures/charged-reports.ts";
import { creditsBackOf } from "../figures/gone-back.ts";
import { findOrder } from "../order-rows.ts";

type Row = {
  owner: string;
  planName: string;
  refunded: string;
  reversed: string;
  granted: string;
  taken: string;
  available: string;
  held: string;
  duration: number;
  secsLeft: number;
  unusedDays: number;
};

/** What an order can be refunded. What a balance has left is its newest orders' first: they are used last. */
export async function findRefundable(orm: Orm, orderId: string): Promise<Refundable | null> {
  const order = await findOrder(orm, orderId);
  if (!order) return null;
  const [row] = await rowsOf<Row>(
    orm,
    sql`
    select p.owner, coalesce(p.metadata->>'name', '') as "planName", refunded_of(o.order_id, '')::text as refunded,
      o.reversed_amount::text as reversed, v.granted::text as granted, w.own_available::text as available, w.own_held::text as held,
      v.refund_unused_days as "unusedDays", w.own_secs as "secsLeft",
      case when p.access_limit = 'time' then v.duration_secs::float8 else 0 end as duration,
      ${sql.raw(creditsBackOf("o"))}::text as taken
    from orders o join plans p on p.plan_id = o.plan_id
    join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
    cross join lateral own_part(o.order_id, '') w
    where o.order_id = ${orderId}`,
  );
  if (!row) return null;
  const [granted, taken] = [BigInt(row.granted), BigInt(row.taken)];
  const rest = granted - taken;
  const [available, held] = [BigInt(row.available), BigInt(row.held)];
  const refunded = BigInt(row.refunded);
  return {
    order,
    owner: row.owner,
    planName: row.planName,
    refunded,
    left: order.price - refunded - BigInt(row.reversed),
    granted,
    available,
    held,
    used: rest - available - held,
    duration: BigInt(Math.floor(row.duration)),
    secsLeft: BigInt(Math.floor(row.secsLeft)),
    unusedDays: row.unusedDays,
  };
}

type Call = NonNullable<Awaited<ReturnType<Refunds["findCall"]>>>;

/** A settled call, its plan's owner, and the order of its balance that was paid last before it. */
export async function readCall(orm: Orm, condition: SQL): Promise<Call | null> {
  const [row] = await rowsOf<Omit<Call, "amount"> & { amount: string }>(
    orm,
    sql`
    select s.request_key as "requestKey", s.account, p.owner, s.plan_id as "planId", s.scheme, s.amount::text as amount, r.http_status as "httpStatus",
      s.chain_status <> 'none' and s.scheme <> ${EXACT} as "isMirrored",
      (select o.order_id from orders o where o.account = s.account and o.plan_id = s.plan_id and o.status in ('minted', 'refunded')
        and o.price > 0 and o.charged_at <= s.created_at order by o.status, o.charged_at desc limit 1) as "orderId",
      coalesce((select v.refund_failed_calls from orders o join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
        where o.account = s.account and o.plan_id = s.plan_id and o.status in ('minted', 'refunded') and o.charged_at <= s.created_at
        order by o.charged_at desc limit 1), false) as "refundsFailed",
      exists (select 1 from balances b where b.account = s.account and b.plan_id = s.plan_id and b.expires_at <= app_now()) as "hasExpired"
    from settlements s join plans p on p.plan_id = s.plan_id left join request_reports r on r.request_key = s.request_key and ${sql.raw(isCharged("r"))}
    where ${condition} limit 1`,
  );
  return row ? { ...row, amount: BigInt(row.amount) } : null;
}

/** Of two accounts that settled under the same id for one owner, the owner's own call comes first. */
export function findCall(
  orm: Orm,
  ...[account, agentRequestId, side]: Parameters<Refunds["findCall"]>
): Promise<Call | null> {
  const isTheirs = {
    owner: sql`p.owner = ${account}`,
    "owner-or-redeemer": sql`(p.owner = ${account} or s.builder = ${account})`,
    subscriber: sql`s.account = ${account}`,
  }[side];
  return readCall(
    orm,
    sql`s.agent_request_id = ${agentRequestId} and ${isTheirs} order by (s.builder = ${account}) desc, s.created_at desc`,
  );
}
