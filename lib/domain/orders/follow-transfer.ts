import type { Ports } from "../ports.ts";
import type { OrderRecord } from "../records.ts";

/**
 * Takes back what a bank has of an order's money that went on to the builder with the charge, and notes what came back from
 * there, by a refund or by hand too. What fails or is unknown is left to the next look.
 */
export async function followTransfer(
  { orders, rails, log }: Pick<Ports, "orders" | "rails" | "log">,
  order: OrderRecord,
): Promise<void> {
  const { orderId } = order;
  const rail = rails.find(order.scheme);
  try {
    const sentOn = rail?.takeBackTransfer && (await orders.findSentOn(orderId));
    if (!rail?.takeBackTransfer || !sentOn) return;
    const { returned, failure } = await rail.takeBackTransfer(order, sentOn);
    await orders.noteReturned(orderId, { returned, isDone: !failure, sentOn });
    if (failure) log.warn({ orderId, ...failure }, "reversal of a builder's transfer refused");
  } catch (cause) {
    log.warn({ orderId, cause: String(cause) }, "transfer to a builder could not be looked at");
  }
}
