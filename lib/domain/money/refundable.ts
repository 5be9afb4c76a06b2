import type { ParsedInputOf, Refundable as RefundableAnswer } from "@turnpike/payments/protocol";
import { type Context, notFound, requireCaller } from "../context.ts";
import { least } from "../orders/money.ts";
import { currencyPaid } from "../rails/rail.ts";
import type { Refundable } from "./refund-ports.ts";

/** What an order can be refunded now, for its builder and its subscriber. */
export async function getRefundable(
  context: Context,
  { orderId }: ParsedInputOf<"getRefundable">,
): Promise<RefundableAnswer> {
  const { account } = requireCaller(context);
  const found = await context.ports.refunds.findRefundable(orderId);
  if (!found || (found.owner !== account && found.order.account !== account)) {
    throw notFound("order", orderId);
  }
  const { order, granted, available, held, used } = found;
  return {
    orderId,
    planId: order.planId,
    planName: found.planName,
    subscriber: order.account,
    currency: currencyPaid(context.ports.rails.find(order.scheme), order.currency),
    paid: order.price.toString(),
    refunded: found.refunded.toString(),
    left: leftOf(found).toString(),
    unused: unusedOf(context, found).toString(),
    step: stepOf(context, found).toString(),
    credits: {
      granted: granted.toString(),
      available: available.toString(),
      held: held.toString(),
      used: used.toString(),
    },
    createdAt: order.createdAt.toISOString(),
  };
}

/** The most that a refund can be now: nothing while the payment is disputed. */
export const leftOf = ({ order, left }: Refundable): bigint =>
  order.status === "minted" || (order.status === "refunded" && order.failureCode !== "disputed")
    ? left
    : 0n;

const stepOf = ({ ports }: Context, { order }: Refundable): bigint =>
  ports.rails.find(order.scheme)?.refundStep?.(order.currency) ?? 1n;

/** What the credits that can still be used cost, or the time that is left, rounded down to what can be sent. */
export function unusedOf(context: Context, found: Refundable): bigint {
  const { order, granted, available, duration, secsLeft } = found;
  const [part, whole] = duration > 0n ? [secsLeft, duration] : [available, granted];
  if (whole === 0n) return 0n;
  const price = (order.price * least(part, whole)) / whole;
  return least(price - (price % stepOf(context, found)), leftOf(found));
}
