import { isFree, PaymentsError, schemeOfPrice, totalOf } from "@turnpike/payments/protocol";
import type { Ports, SettlementRail } from "../ports.ts";
import type { DelegationRecord, OrderRecord, PlanRecord } from "../records.ts";
import { applyOutcome } from "./apply-outcome.ts";
import { costInMinorUnits, currencyOf } from "./money.ts";
import type { ChargeOutcome } from "./order-ports.ts";

/** An order as it stands now, and the balance it brought when it did. */
export type PaidOrder = { order: OrderRecord; balance?: bigint };

/** Asks for the charge and does what follows. An unknown outcome leaves the order charging, its reservation kept. */
export async function payOrder(
  ports: Ports,
  order: OrderRecord,
  plan: PlanRecord,
  delegation: DelegationRecord | null,
): Promise<PaidOrder> {
  const rail = railFor(ports, plan);
  if (!rail) return applyOutcome(ports, order, { status: "paid", reference: null });
  await ports.orders.markCharging(order.orderId);
  let outcome: ChargeOutcome;
  try {
    outcome = await rail.charge(order, plan, delegation);
  } catch (cause) {
    ports.log.warn({ orderId: order.orderId, cause: String(cause) }, "order outcome unknown");
    return { order: { ...order, status: "charging" } };
  }
  return applyOutcome(ports, order, outcome);
}

/** The rail that takes a plan's price; null when it costs nothing. Throws `rail_unavailable` without one. */
export function railFor(ports: Ports, { price }: PlanRecord): SettlementRail | null {
  if (isFree(price)) return null;
  const scheme = schemeOfPrice(price);
  const rail = ports.rails.find((candidate) => candidate.scheme === scheme);
  if (rail) return rail;
  throw new PaymentsError("rail_unavailable", `This deployment takes no payments by ${scheme}.`);
}

/** An order of a plan at its price of now, to be reserved. */
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
  },
): OrderRecord {
  const { delegation, now, ...rest } = parts;
  const total = totalOf(plan.price);
  return {
    ...rest,
    orderId: ports.crypto.randomId(),
    planId: plan.planId,
    planVersion: plan.version,
    isTrial: plan.isTrial,
    status: "reserved",
    scheme: schemeOfPrice(plan.price),
    price: total,
    currency: currencyOf(plan.price, ports.stableTokens) ?? plan.price.tokenAddress,
    reservedCents: delegation ? costInMinorUnits(plan.price, ports.stableTokens) : 0n,
    reservedAmount: rest.jti ? total : 0n,
    delegationId: delegation?.delegationId ?? null,
    attempt: 0,
    reference: null,
    failureCode: null,
    failureMessage: null,
    failureNextStep: null,
    refundState: null,
    refundReference: null,
    createdAt: now,
    chargedAt: null,
    updatedAt: now,
    dueAt: null,
    checks: 0,
    stuckAt: null,
  };
}
