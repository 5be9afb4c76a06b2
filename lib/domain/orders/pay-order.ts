import { isFree, PaymentsError, type PlanPriceConfig } from "@turnpike/payments/protocol";
import type { Ports } from "../ports.ts";
import { requireCharging } from "../rails/rail.ts";
import type { DelegationRecord, OrderRecord, PlanRecord } from "../records.ts";
import { applyOutcome } from "./apply-outcome.ts";
import type { ChargeOutcome, PaidOrder } from "./order-ports.ts";

/** Charges an order and applies the outcome. An unknown outcome leaves it charging and keeps its reservation. */
export async function payOrder(
  ports: Ports,
  order: OrderRecord,
  plan: PlanRecord,
  delegation: DelegationRecord | null,
): Promise<PaidOrder> {
  const rail = isFree(plan.price) ? null : requireCharging(ports.rails.get(order.scheme));
  if (!rail) return applyOutcome(ports, order, { status: "paid", reference: null });
  const marked = await ports.orders.markCharging(order.orderId);
  // It ended since it was read: a charge now would only be refunded.
  if (!marked) return { order: (await ports.orders.find(order.orderId)) ?? order };
  // Where someone else has charged it since, this is a repeat.
  const known = marked.attempt > order.attempt + 1 ? marked : order;
  let outcome: ChargeOutcome;
  try {
    outcome = await rail.charge(known, plan, delegation);
  } catch (cause) {
    ports.log.warn({ orderId: order.orderId, cause: String(cause) }, "order outcome unknown");
    return { order: { ...order, status: "charging" } };
  }
  return applyOutcome(ports, order, outcome);
}

/** Pays an order whose first attempt ended before it charged, by the same charge; any other order is as it is. */
export async function resumeOrder(ports: Ports, order: OrderRecord): Promise<PaidOrder> {
  if (order.status !== "reserved") return { order };
  const [plan, delegation] = await Promise.all([
    ports.plans.find(order.planId),
    order.delegationId ? ports.delegations.find(order.delegationId) : null,
  ]);
  return plan ? payOrder(ports, order, plan, delegation) : { order };
}

/** While the ledger differs from what is outside, no credits are sold, and those held stay usable. Free ones always are. */
export function requireSales(
  { salesStop }: Pick<Ports, "salesStop">,
  price: PlanPriceConfig,
): void {
  if (!salesStop?.() || isFree(price)) return;
  throw new PaymentsError(
    "unavailable",
    "Sales are stopped while a difference between the ledger, the chain and the card processor is investigated. You can still use your credits.",
    {
      hint: "Order again later. The service's operators were alerted.",
      details: [{ path: "order", message: "sales_stopped" }],
      retryAfterSecs: 60,
    },
  );
}

/** An order of a plan at its price, to be reserved. */
export function newOrder(
  ports: Ports,
  plan: PlanRecord,
  parts: {
    account: string;
    fingerprint: string;
    delegation: DelegationRecord | null;
    now: Date;
    idempotencyKey: string | null;
    paymentMethodId: string | null;
    jti: string | null;
    agentId?: string | null;
    endsDelegation?: boolean;
  },
): OrderRecord {
  const { delegation, now, agentId = null, endsDelegation = false, ...rest } = parts;
  const rail = requireCharging(ports.rails.getByPrice(plan.price));
  const { total, unit, cents, currency } = rail.quote(plan.price);
  return {
    ...rest,
    orderId: ports.crypto.randomId(),
    planId: plan.planId,
    planVersion: plan.version,
    isTrial: plan.isTrial,
    status: "reserved",
    scheme: rail.scheme,
    price: total,
    currency: unit,
    reservedCents: delegation ? cents : 0n,
    reservedAmount: rest.jti ? total : 0n,
    cents: currency === null && total > 0n ? null : cents,
    agentId,
    delegationId: delegation?.delegationId ?? null,
    endsDelegation: endsDelegation && delegation !== null,
    attempt: 0,
    ...NO_OUTCOME,
    createdAt: now,
    updatedAt: now,
  };
}

/** What an order has before anything came of it. */
export const NO_OUTCOME = {
  reference: null,
  failureCode: null,
  failureMessage: null,
  failureNextStep: null,
  refundState: null,
  refundReference: null,
  reversedAmount: 0n,
  chargedAt: null,
  dueAt: null,
  checks: 0,
  stuckAt: null,
} as const satisfies Partial<OrderRecord>;
