import type { Ports, SettlementRail } from "../ports.ts";
import type { OrderRecord } from "../records.ts";
import { applyOutcome, refundOrder } from "./apply-outcome.ts";
import type { OrderFailure } from "./order-ports.ts";
import { payOrder } from "./pay-order.ts";

/** How long an order may take until its outcome is known; after that nothing is charged for it any more. */
const CHARGE_WITHIN_SECS = 15 * 60;
/** How long a card's holder may take to confirm a payment. */
export const CONFIRM_WITHIN_SECS = 60 * 60;
/** How long past its deadline an order may stay open before a person has to look at it. */
const STUCK_AFTER_SECS = 15 * 60;

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

/**
 * Looks again at orders whose outcome was not learnt, and at refunds that are owed: the same charge is asked for
 * again, never a second one. How many it looked at.
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
    const { status, refundState } = (await ports.orders.find(orderId)) ?? order;
    const stuckAfterSecs = deadlineOf({ status }) + STUCK_AFTER_SECS;
    if (await ports.orders.putOff(orderId, stuckAfterSecs)) {
      ports.log.error({ orderId, status, refundState }, "order is stuck: it needs a person");
    }
  }
  return due.length;
}

/** Looks at an order's payment because something may have happened to it. Never asks for a payment. */
export async function refreshOrder(ports: Ports, orderId: string): Promise<OrderRecord | null> {
  const order = await ports.orders.find(orderId);
  const rail = order && railOf(ports, order);
  if (!order || !rail?.lookUp) return order;
  return (await applyOutcome(ports, order, await rail.lookUp(order))).order;
}

async function resolve(ports: Ports, order: OrderRecord): Promise<void> {
  if (order.refundState === "owed") return refundOrder(ports, order);
  const [plan, delegation, now] = await Promise.all([
    ports.plans.find(order.planId),
    order.delegationId ? ports.delegations.find(order.delegationId) : null,
    ports.clock.now(),
  ]);
  const rail = railOf(ports, order);
  const isLate = now.getTime() >= order.createdAt.getTime() + deadlineOf(order) * 1000;
  const end = isLate ? LATE : delegation?.revokedAt ? REVOKED : null;
  if (end && rail?.abandon) return giveUp(ports, order, rail, end);
  if (order.status === "requires_action") await refreshOrder(ports, order.orderId);
  else if (plan) await payOrder(ports, order, plan, delegation);
}

/** Ends an order nobody waits for any more, unless its payment went through. */
async function giveUp(
  ports: Ports,
  order: OrderRecord,
  rail: SettlementRail,
  failure: OrderFailure,
): Promise<void> {
  const found = await rail.abandon?.(order);
  const isOpen = !found || (found.status === "refused" && found.code === "canceled");
  await applyOutcome(ports, order, isOpen ? { status: "refused", ...failure } : found);
}

const deadlineOf = ({ status }: Pick<OrderRecord, "status">): number =>
  status === "requires_action" ? CONFIRM_WITHIN_SECS : CHARGE_WITHIN_SECS;

const railOf = ({ rails }: Ports, { scheme }: OrderRecord): SettlementRail | undefined =>
  rails.find((rail) => rail.scheme === scheme);
