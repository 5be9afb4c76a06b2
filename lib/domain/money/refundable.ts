import type { ParsedInputOf, Refundable as RefundableAnswer } from "@turnpike/payments/protocol";
import { type Context, notFound, requireCaller } from "../context.ts";
import { least } from "../orders/money.ts";
import { currencyPaid } from "../rails/rail.ts";
import type { Refundable } from "./refund-ports.ts";
import { isPaidByWallet } from "./refund-signature.ts";

/** Time goes on while a refund is asked for and opened: so much of it, or a hundredth of the order's time, is left out. */
const ALLOWANCE_SECS = 60n;

/** What an order can be refunded now, for its builder and its subscriber. */
export async function getRefundable(
  context: Context,
  { orderId }: ParsedInputOf<"getRefundable">,
): Promise<RefundableAnswer> {
  const { account } = requireCaller(context);
  const found = await context.ports.refunds.findRefundable(orderId);
  // What was not sold is its payer's alone.
  const isTheirs = found?.order.account === account || (found?.owner === account && isSold(found));
  if (!found || !isTheirs) throw notFound("order", orderId);
  const { order, granted, available, held, used } = found;
  const promisedUntil = await findPromise(context, found);
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
    least: leastOf(context, found).toString(),
    ...(promisedUntil && { promisedUntil: promisedUntil.toISOString() }),
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
export const leftOf = (found: Refundable): bigint =>
  isSold(found) && found.order.failureCode !== "disputed" ? found.left : 0n;

const isSold = ({ order: { status } }: Refundable): boolean =>
  status === "minted" || status === "refunded";

const stepOf = ({ ports }: Context, { order }: Refundable): bigint =>
  ports.rails.find(order.scheme)?.refundStep?.(order.currency) ?? 1n;

/** The least that a part of it can be; the rest always can be refunded. */
export const leastOf = ({ ports }: Context, { order }: Refundable): bigint =>
  ports.rails.find(order.scheme)?.refundParts?.(order.currency).least ?? 0n;

/** What the credits that can still be used cost, or the time that is left, rounded down to what can be sent. */
export function unusedOf(context: Context, found: Refundable): bigint {
  const { granted, available, duration, secsLeft } = found;
  return duration > 0n
    ? priceOf(context, found, secsLeft, duration)
    : priceOf(context, found, available, granted);
}

/** What so many of an order's credits cost, rounded down in the same way. */
export const creditsPriceOf = (context: Context, found: Refundable, credits: bigint): bigint =>
  priceOf(context, found, credits, found.granted);

function priceOf(context: Context, found: Refundable, part: bigint, whole: bigint): bigint {
  if (whole === 0n) return 0n;
  const price = (found.order.price * least(part, whole)) / whole;
  const sent = least(price - (price % stepOf(context, found)), leftOf(found));
  return sent < leastOf(context, found) && sent < leftOf(found) ? 0n : sent;
}

/** Whether an amount pays for what was not used, or was not when it was asked for a moment ago. */
export function isOfUnused(context: Context, found: Refundable, amount: bigint): boolean {
  const { duration, secsLeft } = found;
  const passed = secsLeft === 0n ? 0n : least(ALLOWANCE_SECS, duration / 100n);
  return amount <= unusedOf(context, { ...found, secsLeft: secsLeft + passed });
}

/**
 * Until when a rule promises the unused part of an order: the version that was bought promises it, or the plan does now.
 */
export async function promisedUntil(
  { ports }: Context,
  { order, unusedDays }: Refundable,
): Promise<Date | null> {
  const plan = await ports.plans.find(order.planId);
  const days = Math.max(unusedDays, plan?.metadata.refundUnusedDays ?? 0);
  return days > 0 ? new Date(order.createdAt.getTime() + days * 86_400_000) : null;
}

/** The same while a request is granted at once: no payment has to wait for the builder's own wallet. */
export async function findPromise(context: Context, found: Refundable): Promise<Date | null> {
  const { ports } = context;
  const until = await promisedUntil(context, found);
  if (!until || until < (await ports.clock.now())) return null;
  const { orderId, scheme } = found.order;
  return (await isPaidByWallet(ports, { orderId, scheme, owner: found.owner })) ? null : until;
}
