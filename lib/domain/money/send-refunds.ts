import { eachAlone } from "../each-alone.ts";
import { applyOutcome } from "../orders/apply-outcome.ts";
import { followTransfer } from "../orders/follow-transfer.ts";
import type { RefundOutcome } from "../orders/order-ports.ts";
import type { Ports } from "../ports.ts";
import { readRefunds } from "./read-refunds.ts";
import type { RefundRecord } from "./refund-ports.ts";

/**
 * Sends an open refund's money, once: the rail looks for it before it asks again, under the refund's id. An unknown
 * outcome leaves it open, to be looked up later.
 */
export async function sendRefund(ports: Ports, refund: RefundRecord): Promise<void> {
  const { refundId } = refund;
  const order = refund.orderId && (await ports.orders.find(refund.orderId));
  const rail = ports.rails.find(refund.scheme);
  if (!order || !rail?.refundPart) return;
  // The processor has it, also one that was made in its dashboard: it is looked up and never asked for again.
  if (refund.reference) return readRefunds(ports, order, true);
  let outcome: RefundOutcome;
  try {
    outcome = await rail.refundPart(order, refund);
  } catch (cause) {
    ports.log.warn({ refundId, cause: String(cause) }, "refund outcome unknown");
    return;
  }
  if (outcome.status === "refunded" || outcome.status === "pending") {
    const state = outcome.status === "refunded" ? "paid" : "open";
    await ports.refunds.note(refundId, { state, reference: outcome.reference });
    return followTransfer(ports, order);
  }
  const failure =
    outcome.status === "refused"
      ? { code: outcome.code, message: outcome.message }
      : { code: "not_charged", message: "No payment of this order was found." };
  await ports.refunds.note(refundId, { state: "refused", reference: "", failure });
  ports.log.warn({ refundId, code: failure.code }, "refund refused, credits returned");
  // The payment may be disputed, and no webhook has said so yet.
  if (rail.lookUp) await applyOutcome(ports, order, await rail.lookUp(order));
}

/** Sends and looks up refunds that are due, and declines requests without an answer; how many it looked at. */
export async function resolveRefunds(ports: Ports, limit = 20): Promise<number> {
  await ports.refunds.expire();
  const items = await ports.refunds.takeDue(limit);
  const facts = ({ refundId }: RefundRecord) => ({ refundId });
  await eachAlone(ports, { items, says: "refund could not be looked at", facts }, (refund) =>
    sendRefund(ports, refund).finally(() => ports.refunds.putOff(refund.refundId)),
  );
  return items.length;
}
