import { type Context, invalid, notFound, requireCaller } from "../context.ts";
import type { Refundable, SettledCall } from "./refund-ports.ts";

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

/** Finds what one side may refund or ask for. Throws `not_found` for another account's. */
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
  const settlement = await refunds.findCall(account, agentRequestId, side);
  if (!settlement) throw notFound("settled call", agentRequestId);
  const { planId, scheme, owner } = settlement;
  const about = { account: settlement.account, owner, planId, scheme, settlement };
  const rail = context.ports.rails.find(scheme);
  if (amount === undefined) {
    // Its credits were burned outside, where the ledger alone cannot bring them back.
    if (rail?.mirror) {
      throw invalid("amount", "Credits of this plan can't be returned. Refund its order instead.");
    }
    return { ...about, refundable: null };
  }
  const refundable = settlement.orderId && (await refunds.findRefundable(settlement.orderId));
  if (!refundable) throw notFound("paid order of call", agentRequestId);
  const { order, granted } = refundable;
  const worth = granted === 0n ? 0n : (order.price * settlement.amount) / granted;
  if (amount > worth) throw invalid("amount", `The call cost at most ${worth}.`);
  return { ...about, refundable };
}

async function findOrder(
  context: Context,
  orderId: string,
  side: "builder" | "subscriber",
): Promise<Subject> {
  const { account } = requireCaller(context);
  const refundable = await context.ports.refunds.findRefundable(orderId);
  const isOwn = (side === "builder" ? refundable?.owner : refundable?.order.account) === account;
  if (!refundable || !isOwn) throw notFound("order", orderId);
  const { order, owner } = refundable;
  const { planId, scheme } = order;
  return { account: order.account, owner, planId, scheme, refundable, settlement: null };
}
