import type { Context } from "../context.ts";
import type { RefundRecord } from "./refund-ports.ts";
import type { Subject } from "./refund-subject.ts";
import { unusedOf } from "./refundable.ts";

/**
 * Whether a rule promises this refund: of unused credits within its days, or of a call that failed. The version that was
 * bought promises it, or the plan does now.
 */
export async function isGrantedByRule(
  context: Context,
  { refundable, settlement }: Subject,
  refund: RefundRecord,
): Promise<boolean> {
  const plan = await context.ports.plans.find(refund.planId);
  const { refundUnusedDays = 0, refundFailedCalls = false } = plan?.metadata ?? {};
  if (settlement) {
    return (settlement.refundsFailed || refundFailedCalls) && (settlement.httpStatus ?? 0) >= 500;
  }
  if (!refundable) return false;
  const days = Math.max(refundable.unusedDays, refundUnusedDays);
  const until = refundable.order.createdAt.getTime() + days * 86_400_000;
  return refund.amount <= unusedOf(context, refundable) && refund.createdAt.getTime() <= until;
}
