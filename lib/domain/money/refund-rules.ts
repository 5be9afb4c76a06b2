import type { Context } from "../context.ts";
import type { RefundRecord } from "./refund-ports.ts";
import { callBelowStep, type Subject, unpaidCall } from "./refund-subject.ts";
import {
  creditsPriceOf,
  findPromise,
  isOfUnused,
  leftOf,
  promisedUntil,
  unusedOf,
} from "./refundable.ts";

/**
 * Whether a rule promises this refund: of unused credits within its days, or of a call that failed. The version that was
 * bought promises it, or the plan does now.
 */
export async function isGrantedByRule(
  context: Context,
  { refundable, settlement }: Subject,
  refund: RefundRecord,
): Promise<boolean> {
  if (settlement) {
    const plan = await context.ports.plans.find(refund.planId);
    const { refundFailedCalls = false } = plan?.metadata ?? {};
    return (settlement.refundsFailed || refundFailedCalls) && (settlement.httpStatus ?? 0) >= 500;
  }
  if (!refundable) return false;
  const until = await promisedUntil(context, refundable);
  return (
    until !== null && refund.createdAt <= until && isOfUnused(context, refundable, refund.amount)
  );
}

/**
 * What a request without an amount is for: the unused part of an order, where a rule promises it and anything is unused; of
 * a call that is refunded in money, what it cost. Undefined for everything that is left.
 */
export async function requestedPart(
  context: Context,
  { refundable, settlement }: Subject,
): Promise<bigint | undefined> {
  if (refundable && settlement) {
    const cost = creditsPriceOf(context, refundable, settlement.amount);
    if (cost === 0n) throw leftOf(refundable) === 0n ? unpaidCall() : callBelowStep();
    return cost;
  }
  if (!refundable || !(await findPromise(context, refundable))) return undefined;
  return unusedOf(context, refundable) || undefined;
}
