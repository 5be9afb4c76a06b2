import { followTransfer } from "../orders/follow-transfer.ts";
import type { Ports } from "../ports.ts";
import type { OrderRecord } from "../records.ts";

/**
 * Brings an order's refunds up to what the processor says of them: one that was made in its dashboard takes its part
 * of the credits, and one that the bank sent back returns them. What the processor does not list may be on its way.
 */
export async function readRefunds(ports: Ports, order: OrderRecord, isNew: boolean): Promise<void> {
  const rail = ports.rails.find(order.scheme);
  if (!rail?.listRefunds) return;
  if (!isNew && !(await ports.refunds.hasSent(order.orderId))) return;
  for (const found of await rail.listRefunds(order)) {
    const { reference, state } = found;
    const refundId = found.refundId ?? found.reference;
    const known = await ports.refunds.find(refundId);
    if (!known && state !== "refused") await ports.refunds.adopt(order, { ...found, refundId });
    if (known) {
      const failure = { code: "returned", message: "The card's bank sent the refund back." };
      const news = { state, reference, ...(state === "refused" && { failure }) };
      await ports.refunds.note(refundId, news);
    }
  }
  await followTransfer(ports, order);
}
