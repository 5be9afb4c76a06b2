import { and, eq, lte, ne, or, sql } from "drizzle-orm";
import type { RefundRecord } from "@/lib/domain/money/refund-ports.ts";
import { databaseNow } from "../audit.ts";
import type { Orm } from "../client.ts";
import { refunds } from "../schema.ts";

const endedBy = (refundId: string) => `This was refunded as ${refundId}.`;

/**
 * Ends the open requests that a refund answers, because their decision would pay a second time: for the same call, for the
 * same order where it gives what was asked for, and for all that an order paid for where nothing of it is `left`. The
 * caller does not hold the balance's lock yet: a request's decision takes it after the request's.
 */
export async function endRequests(
  transaction: Orm,
  refund: Pick<
    RefundRecord,
    "refundId" | "orderId" | "requestKey" | "account" | "planId" | "amount"
  >,
  left: bigint | null,
): Promise<void> {
  const { refundId, orderId, requestKey, account, planId, amount } = refund;
  const isSame = sql`coalesce(${refunds.requestKey}, ${refunds.orderId}) = ${requestKey ?? orderId}`;
  const isPaidBy = sql`(${refunds.orderId} = ${orderId} or ${refunds.orderId} is null
    and ${refunds.planId} = ${planId} and is_call_refunded(${refunds.requestKey}, ${orderId}))`;
  await transaction
    .update(refunds)
    .set({
      state: "declined",
      failureCode: "refunded",
      failureMessage: endedBy(refundId),
      updatedAt: databaseNow,
    })
    .where(
      and(
        eq(refunds.account, account),
        eq(refunds.state, "requested"),
        ne(refunds.refundId, refundId),
        or(
          requestKey === null ? and(isSame, lte(refunds.amount, amount)) : isSame,
          left === 0n ? isPaidBy : undefined,
        ),
      ),
    );
}

/**
 * Opens the requests again that a failed refund ended, or ended together with others of its order, unless the subscriber has requested
 * another for the same since.
 */
export async function reopenRequests(
  transaction: Orm,
  { refundId, account, orderId }: Pick<RefundRecord, "refundId" | "account" | "orderId">,
): Promise<void> {
  const isShort = sql`${refunds.amount} > (select coalesce(sum(r.amount), 0) from refunds r
    where r.order_id = ${orderId} and r.state in ('open', 'paid') and r.refund_id <> ${refundId})`;
  await transaction
    .update(refunds)
    .set({
      state: "requested",
      failureCode: null,
      failureMessage: null,
      updatedAt: databaseNow,
      expiresAt: sql`app_now() + (${refunds.expiresAt} - ${refunds.createdAt})`,
    })
    .where(
      and(
        eq(refunds.account, account),
        or(
          eq(refunds.failureMessage, endedBy(refundId)),
          orderId === null
            ? undefined
            : and(eq(refunds.orderId, orderId), eq(refunds.failureCode, "refunded"), isShort),
        ),
        sql`not exists (select 1 from refunds r where r.state = 'requested'
          and coalesce(r.request_key, r.order_id) = coalesce(${refunds.requestKey}, ${refunds.orderId}))`,
      ),
    );
}
