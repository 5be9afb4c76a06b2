import { and, ne, or, sql } from "drizzle-orm";
import { ANSWER_WITHIN_SECS, type RefundRecord } from "@/lib/domain/money/refund-ports.ts";
import { databaseNow } from "../audit.ts";
import type { Orm } from "../client.ts";
import { matches } from "../rows.ts";
import { refunds } from "../schema.ts";

/** An order or call as the index of open requests has it: one of each is open at a time. */
const isOfSame = sql`r.account = ${refunds.account}
  and coalesce(r.request_key, r.order_id) = coalesce(${refunds.requestKey}, ${refunds.orderId})`;
/** What refunds of the same paid or are paying since it was requested; null without any. */
const refundedSince = sql`(select sum(r.amount) from refunds r
  where ${isOfSame} and r.state in ('open', 'paid') and r.created_at >= ${refunds.createdAt})`;

type Ending = Pick<
  RefundRecord,
  "refundId" | "orderId" | "requestKey" | "account" | "planId" | "amount"
>;

/**
 * Ends the open requests that a refund answers, because their decision would pay a second time: for the same call, for the
 * same order where the refunds since give what was asked for, and for all that an order paid for where nothing of it is
 * `left`. The caller does not hold the balance's lock yet: a request's decision takes it after the request's.
 */
export async function endRequests(
  transaction: Orm,
  { refundId, orderId, requestKey, account, planId, amount }: Ending,
  left: bigint | null,
): Promise<void> {
  const isSame = sql`coalesce(${refunds.requestKey}, ${refunds.orderId}) = ${requestKey ?? orderId}`;
  const isGiven = sql`${refunds.amount} <= ${amount} + coalesce(${refundedSince}, 0)`;
  const isPaidBy = sql`(${refunds.orderId} = ${orderId} or ${refunds.orderId} is null
    and ${refunds.planId} = ${planId} and is_call_refunded(${refunds.requestKey}, ${orderId}))`;
  await transaction
    .update(refunds)
    .set({
      state: "declined",
      failureCode: "refunded",
      failureMessage: `This was refunded as ${refundId}.`,
      updatedAt: databaseNow,
    })
    .where(
      and(
        matches(refunds, { account, state: "requested" }),
        ne(refunds.refundId, refundId),
        or(requestKey === null ? and(isSame, isGiven) : isSame, left === 0n ? isPaidBy : undefined),
      ),
    );
}

/**
 * Opens the requests again that refunds ended and no longer answer, as one of them failed. Of several for the same, only the
 * last one counts: the subscriber has asked anew since. The caller has undone the refund, so that its order has something
 * left; it may hold the balance's lock, as no decision waits for it once a request has ended.
 */
export async function reopenRequests(
  transaction: Orm,
  { orderId, account, planId }: Pick<RefundRecord, "orderId" | "account" | "planId">,
): Promise<void> {
  // A call is refunded once, whatever was asked for.
  const isAnswered = sql`coalesce(${refundedSince} >=
    case when ${refunds.requestKey} is null then ${refunds.amount} else 0 end, false)`;
  const isLast = sql`not exists (select 1 from refunds r where ${isOfSame} and (r.state = 'requested'
    or (r.expires_at is not null or r.made_by in ('subscriber', 'rule'))
      and (r.created_at, r.refund_id) > (${refunds.createdAt}, ${refunds.refundId})))`;
  await transaction
    .update(refunds)
    .set({
      state: "requested",
      failureCode: null,
      failureMessage: null,
      updatedAt: databaseNow,
      expiresAt: sql`app_now() + make_interval(secs => ${ANSWER_WITHIN_SECS})`,
    })
    .where(
      and(
        matches(refunds, { account, planId, state: "declined", failureCode: "refunded" }),
        sql`coalesce(${refunds.orderId}, ${orderId}) = ${orderId}`,
        sql`not ${isAnswered} and not is_call_refunded(${refunds.requestKey}, '')`,
        isLast,
      ),
    );
}
