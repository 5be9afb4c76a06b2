import type { Refund } from "@turnpike/payments/protocol";
import type { RefundRecord } from "./refund-ports.ts";

/** A refund as both sides see it. */
export const refundAnswer = (row: RefundRecord): Refund => ({
  refundId: row.refundId,
  ...(row.orderId && { orderId: row.orderId }),
  ...(row.requestKey && { agentRequestId: requestIdOf(row.requestKey) }),
  planId: row.planId,
  subscriber: row.account,
  status: row.state,
  amount: row.amount.toString(),
  currency: row.currency,
  credits: row.credits.toString(),
  madeBy: row.madeBy,
  ...(row.reason && { reason: row.reason }),
  ...(row.message && { message: row.message }),
  ...(row.reference && { reference: row.reference }),
  ...(row.failureCode && {
    failure: { code: row.failureCode, message: row.failureMessage ?? row.failureCode },
  }),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  ...(row.state === "requested" && row.expiresAt && { expiresAt: row.expiresAt.toISOString() }),
});

const requestIdOf = (requestKey: string): string => requestKey.slice(requestKey.indexOf("/") + 1);
