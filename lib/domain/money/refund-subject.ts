import { PaymentsError } from "@turnpike/payments/protocol";
import { type Context, invalid, notFound, requireCaller } from "../context.ts";
import type { Refundable, RefundRecord, SettledCall } from "./refund-ports.ts";

/** What is refunded: an order, or a settled call with the order that is to pay for it. */
export type Subject = {
  account: string;
  owner: string;
  planId: string;
  scheme: string;
  /** Null where credits go back. */
  refundable: Refundable | null;
  settlement: SettledCall | null;
};

/**
 * Finds what one side may refund or ask for. Throws `not_found` for another account's. Money is the plan owner's to
 * refund; a redeemer may return the credits of a call that it settled.
 */
export async function findSubject(
  context: Context,
  input: {
    orderId?: string | undefined;
    agentRequestId?: string | undefined;
    amount?: bigint | undefined;
  },
  side: "builder" | "subscriber",
): Promise<Subject> {
  const { account } = requireCaller(context);
  const { refunds } = context.ports;
  const { agentRequestId, amount } = input;
  if (agentRequestId === undefined) return findOrder(context, input.orderId ?? "", side);
  const isMoney = amount !== undefined;
  const asOwner = isMoney ? "owner" : "owner-or-redeemer";
  const settlement = await refunds.findCall(
    account,
    agentRequestId,
    side === "builder" ? asOwner : side,
  );
  if (!settlement) throw notFound("settled call", agentRequestId);
  const { planId, scheme, owner } = settlement;
  const about = { account: settlement.account, owner, planId, scheme, settlement };
  // Where credits would expire at once, the subscriber asks for what they cost.
  const isForCost = !isMoney && side === "subscriber" && settlement.hasExpired;
  const isMirrored = settlement.isMirrored || context.ports.rails.find(scheme)?.mirror;
  // Its credits were burned outside, where the ledger alone cannot bring them back.
  if (!isMoney && !isForCost && isMirrored) {
    if (!settlement.orderId) {
      const why = "Nothing was paid for this call, and credits of this plan can't be returned.";
      throw invalid("agentRequestId", why);
    }
    // A refund of its order would leave a request for the call open.
    throw invalid("amount", "Credits of this plan can't be returned. Send an amount of money.");
  }
  if (!isMoney && !isForCost) return { ...about, refundable: null };
  const refundable = settlement.orderId && (await refunds.findRefundable(settlement.orderId));
  if (!refundable) throw isMoney ? notFound("paid order of call", agentRequestId) : unpaidCall();
  if (isMoney) requireWorth(refundable, settlement, amount);
  return { ...about, refundable };
}

export const unpaidCall = (): PaymentsError =>
  expired(
    "Your credits of this plan have expired, so they can't be returned, and there is no money left to refund for this call.",
  );

export const callBelowStep = (): PaymentsError =>
  expired("This call cost less than can be sent. Request a refund of its order.");

const expired = (message: string): PaymentsError =>
  new PaymentsError("conflict", message, { details: [{ path: "refund", message: "expired" }] });

/** Rejects an amount above what a call cost. */
function requireWorth(
  { order, granted }: Pick<Refundable, "order" | "granted">,
  settlement: SettledCall,
  amount: bigint,
): void {
  const worth = granted === 0n ? 0n : (order.price * settlement.amount) / granted;
  if (amount > worth) throw invalid("amount", `The call cost at most ${worth}.`);
}

/** Rejects an amount above what the call of a refund cost; refunds of an order have no call. */
export async function requireWorthOfCall(
  { ports }: Context,
  { orderId, requestKey }: RefundRecord,
  amount: bigint,
): Promise<void> {
  if (!orderId || !requestKey) return;
  const [refundable, settlement] = await Promise.all([
    ports.refunds.findRefundable(orderId),
    ports.refunds.findCallByKey(requestKey),
  ]);
  if (!refundable || !settlement) throw notFound("settled call", requestKey);
  requireWorth(refundable, settlement, amount);
}

/**
 * A refund of the caller's. The plan's owner decides it, also where an earlier release wrote the account that settled
 * the call as its owner. That account and the subscriber may only read theirs.
 */
export async function findOwnRefund(
  context: Context,
  refundId: string,
  side: "builder" | "either",
): Promise<RefundRecord> {
  const { account } = requireCaller(context);
  const { plans, refunds } = context.ports;
  const refund = await refunds.find(refundId);
  const plan = refund && (await plans.find(refund.planId));
  if (!refund || !plan) throw notFound("refund", refundId);
  const hasReturnedCredits =
    refund.orderId === null && refund.requestKey?.startsWith(`${account}/`) === true;
  const mayRead = side === "either" && (refund.account === account || hasReturnedCredits);
  if (plan.owner !== account && !mayRead) throw notFound("refund", refundId);
  return { ...refund, owner: plan.owner };
}

async function findOrder(
  context: Context,
  orderId: string,
  side: "builder" | "subscriber",
): Promise<Subject> {
  const { account } = requireCaller(context);
  const refundable = await context.ports.refunds.findRefundable(orderId);
  const isOwn = (side === "builder" ? refundable?.owner : refundable?.order.account) === account;
  if (!refundable || !isOwn) {
    const { message } = notFound("order", orderId);
    const hint = "You bought it: ask its builder with POST /refund-requests.";
    const isBought = refundable?.order.account === account;
    throw new PaymentsError("not_found", message, { ...(isBought && { hint }) });
  }
  const { order, owner } = refundable;
  const { planId, scheme } = order;
  return { account: order.account, owner, planId, scheme, refundable, settlement: null };
}
