import type { Ports } from "../ports.ts";
import type { DelegationRecord, OrderRecord } from "../records.ts";
import { applyOutcome, refundOrder } from "./apply-outcome.ts";
import { followTransfer } from "./follow-transfer.ts";
import type { OrderFailure } from "./order-ports.ts";
import { payOrder } from "./pay-order.ts";

/** How long an order's outcome may stay unknown; after that the order is no longer charged. */
const CHARGE_WITHIN_SECS = 15 * 60;
/** How long a card's holder may take to confirm a payment. */
export const CONFIRM_WITHIN_SECS = 60 * 60;
/** How long an order may stay open past its deadline before a person has to look at it. */
const STUCK_AFTER_SECS = 15 * 60;

const STUCK = "order is stuck: it needs a person";
const NOT_RETURNED =
  "a chargeback or refund is not taken back from the builder's account. It is tried again: look at the account's balance in the processor's dashboard";

const LATE: OrderFailure = {
  code: "not_paid_in_time",
  message: "The order was not paid in time. Nothing was charged; order again.",
  nextStep: "Order again.",
};
const REVOKED: OrderFailure = {
  code: "delegation_revoked",
  message: "The delegation was revoked before the order was paid. Nothing was charged.",
  nextStep: "Order again with another delegation.",
};
const TOKEN_REVOKED: OrderFailure = {
  code: "token_revoked",
  message: "The access token was revoked before its order was confirmed. Nothing was charged.",
  nextStep: "Order again with another access token.",
};

/**
 * Retries orders with an unknown outcome, and refunds that are owed: with the same charge, never a second one.
 * Returns how many it looked at.
 */
export async function resolveOrders(ports: Ports, limit = 20): Promise<number> {
  const due = await ports.orders.takeDue(limit);
  for (const order of due) {
    const { orderId } = order;
    try {
      await resolve(ports, order);
    } catch (cause) {
      ports.log.warn({ orderId, cause: String(cause) }, "order could not be looked at");
    }
    const now = (await ports.orders.find(orderId)) ?? order;
    const { status, refundState } = now;
    const stuckAfterSecs = deadlineOf({ status }) + STUCK_AFTER_SECS;
    if (await ports.orders.putOff(orderId, stuckAfterSecs)) {
      ports.log.error({ orderId, status, refundState }, hasEnded(now) ? NOT_RETURNED : STUCK);
    }
  }
  return due.length;
}

/** Updates an order from its payment. Never charges. */
export async function refreshOrder(ports: Ports, orderId: string): Promise<OrderRecord | null> {
  const order = await ports.orders.find(orderId);
  const rail = order && ports.rails.find(order.scheme);
  if (!order || !rail?.lookUp) return order;
  return (await applyOutcome(ports, order, await rail.lookUp(order))).order;
}

async function resolve(ports: Ports, order: OrderRecord): Promise<void> {
  if (order.refundState === "owed") return refundOrder(ports, order);
  if (hasEnded(order)) return followTransfer(ports, order);
  const [plan, delegation] = await Promise.all([
    ports.plans.find(order.planId),
    order.delegationId ? ports.delegations.find(order.delegationId) : null,
  ]);
  const rail = ports.rails.find(order.scheme);
  const end = await findEnd(ports, order, delegation);
  if (end && rail?.abandon) await abandonOrder(ports, order, end);
  else if (order.status === "requires_action") await refreshOrder(ports, order.orderId);
  else if (plan) await payOrder(ports, order, plan, delegation);
}

/** Why an open order is not to be paid any more, or null. */
async function findEnd(
  { clock, tokens }: Ports,
  order: OrderRecord,
  delegation: DelegationRecord | null,
): Promise<OrderFailure | null> {
  const { status, jti, createdAt } = order;
  const now = await clock.now();
  if (now.getTime() >= createdAt.getTime() + deadlineOf(order) * 1000) return LATE;
  if (delegation?.revokedAt) return REVOKED;
  const token = status === "requires_action" && jti ? await tokens.find(jti) : null;
  return token?.revokedAt ? TOKEN_REVOKED : null;
}

/** Cancels an order that waits for its holder once it can't be confirmed any more; the order as it is then. */
export async function endWaiting(
  ports: Ports,
  order: OrderRecord,
  delegation: DelegationRecord | null,
): Promise<OrderRecord> {
  const end = await findEnd(ports, order, delegation);
  return end ? abandonOrder(ports, order, end) : order;
}

/** Declines an order that is not to be paid any more, unless its payment went through; the order as it is then. */
export async function abandonOrder(
  ports: Ports,
  order: OrderRecord,
  failure: OrderFailure,
): Promise<OrderRecord> {
  const rail = ports.rails.find(order.scheme);
  if (!rail?.abandon) return order;
  const found = await rail.abandon(order);
  const isOpen = !found || (found.status === "refused" && found.code === "canceled");
  const outcome = isOpen ? ({ status: "refused", ...failure } as const) : found;
  return (await applyOutcome(ports, order, outcome)).order;
}

/** Whether only what went on to the builder can be left to do. */
const hasEnded = ({ status, refundState }: OrderRecord): boolean =>
  status === "minted" || status === "refunded" || (status === "declined" && refundState !== "owed");

const deadlineOf = ({ status }: Pick<OrderRecord, "status">): number =>
  status === "requires_action" ? CONFIRM_WITHIN_SECS : CHARGE_WITHIN_SECS;
