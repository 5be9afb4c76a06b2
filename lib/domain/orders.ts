import {
  isFree,
  type OrderReceipt,
  type ParsedInputOf,
  PaymentsError,
  schemeOfPrice,
  toJson,
  totalOf,
} from "@turnpike/payments/protocol";
import type { Permission } from "./check-permission.ts";
import { auditNote, type Context, notFound, requireCaller } from "./context.ts";
import { requireCovering, requireSameCurrency } from "./delegation-cover.ts";
import { findDelegation } from "./delegations.ts";
import { costInMinorUnits, currencyOf } from "./money.ts";
import { findPlan } from "./plans.ts";
import type { AuditNote, ChargeOutcome, Ports, SettlementRail } from "./ports.ts";
import type { DelegationRecord, OrderRecord, PlanRecord } from "./records.ts";

/**
 * Orders a plan (§4.1): pays its price and grants its credits. A repeat with the same idempotency key
 * finds the same order, whatever became of the first answer. Throws `already_ordered` for a second
 * trial, `payment_refused` with the reason when the payment was refused.
 */
export async function orderPlan(
  context: Context,
  input: ParsedInputOf<"orderPlan">,
): Promise<OrderReceipt> {
  const { account } = requireCaller(context);
  const plan = await findPlan(context, input.planId);
  if (plan.state === "draft" && plan.owner !== account) throw notFound("plan", input.planId);
  const fingerprint = context.ports.crypto.digest(toJson({ ...input, idempotencyKey: undefined }));
  const known =
    input.idempotencyKey && (await context.ports.orders.findByKey(account, input.idempotencyKey));
  if (known) return resume(context, known, fingerprint);
  const delegation = input.delegationId ? await findDelegation(context, input.delegationId) : null;
  if (delegation) {
    await requireCovering(context, delegation, plan, "delegationId");
    requireSameCurrency(context, delegation, plan, "delegationId");
  }
  const order = newOrder(context.ports, plan, {
    account,
    fingerprint,
    delegation,
    now: await context.ports.clock.now(),
    idempotencyKey: input.idempotencyKey ?? null,
    paymentMethodId: input.providerPaymentMethodId ?? delegation?.paymentMethodId ?? null,
    jti: null,
  });
  railFor(context.ports, plan);
  const reservation = await context.ports.orders.reserve(
    order,
    auditNote(context, "order", plan.planId),
  );
  switch (reservation.outcome) {
    case "existing":
      return resume(context, reservation.order, fingerprint);
    case "trial-taken":
      throw new PaymentsError(
        "already_ordered",
        `You have ordered the trial plan ${plan.planId} before.`,
      );
    case "limit":
      throw new PaymentsError(
        "payment_refused",
        `The delegation's ${reservation.limit} does not allow this order.`,
      );
    default:
      return receiptOf(await pay(context.ports, order, plan, delegation));
  }
}

/** How far an order of the caller's came. */
export async function getOrder(
  context: Context,
  { orderId }: ParsedInputOf<"getOrder">,
): Promise<OrderReceipt> {
  const order = await context.ports.orders.find(orderId);
  if (!order || order.account !== requireCaller(context).account) throw notFound("order", orderId);
  return receiptOf({ order, balance: undefined });
}

/** What a top-up came to; `again`: someone else filled the balance, or is about to. */
export type TopUpOutcome =
  | { outcome: "paid"; reference: string | null }
  | { outcome: "again" }
  | { outcome: "refused"; code: string };

const TOP_UP_PAUSE_MS = 50;

/** Orders a plan because a settle found the balance short; within the token's and its delegation's limits. */
export async function orderForSettle(
  context: Context,
  permission: Permission,
): Promise<TopUpOutcome> {
  const { ports } = context;
  const plan = await findPlan(context, permission.planId);
  const delegation = await ports.delegations.find(permission.delegationId);
  const order = newOrder(ports, plan, {
    account: permission.payer,
    fingerprint: "top-up",
    delegation,
    now: await ports.clock.now(),
    idempotencyKey: null,
    paymentMethodId: delegation?.paymentMethodId ?? null,
    jti: permission.jti,
  });
  const note: AuditNote = {
    account: permission.payer,
    keyId: null,
    action: "top-up",
    subject: plan.planId,
    requestId: context.requestId,
  };
  const reservation = await ports.orders.reserveTopUp(order, permission.amount, note);
  if (reservation.outcome === "filled") {
    await ports.pause(TOP_UP_PAUSE_MS);
    return { outcome: "again" };
  }
  if (reservation.outcome === "limit") return { outcome: "refused", code: reservation.limit };
  if (reservation.outcome !== "reserved") return { outcome: "refused", code: reservation.outcome };
  const paid = await pay(ports, order, plan, delegation);
  if (paid.order.status === "minted") return { outcome: "paid", reference: paid.order.reference };
  if (paid.order.status === "charging") {
    throw new PaymentsError("outcome_unknown", "The top-up's outcome is not known yet.", {
      retryAfterSecs: 5,
    });
  }
  return { outcome: "refused", code: paid.order.failureCode ?? "refused" };
}

/** Takes up orders whose outcome was not learnt: the same charge is asked for again, never a second one. */
export async function resolveOrders(ports: Ports, limit = 20): Promise<number> {
  const open = await ports.orders.listUnresolved(limit);
  for (const order of open) {
    const plan = await ports.plans.find(order.planId);
    const delegation = order.delegationId ? await ports.delegations.find(order.delegationId) : null;
    if (plan) await pay(ports, order, plan, delegation);
  }
  return open.length;
}

/** Looks again at an order whose payment may have moved on; what ended already stays as it is. */
export async function refreshOrder(ports: Ports, orderId: string): Promise<void> {
  const order = await ports.orders.find(orderId);
  if (!order || !["reserved", "charging", "requires_action"].includes(order.status)) return;
  const plan = await ports.plans.find(order.planId);
  const delegation = order.delegationId ? await ports.delegations.find(order.delegationId) : null;
  if (plan) await pay(ports, order, plan, delegation);
}

type Paid = { order: OrderRecord; balance: bigint | undefined };

/** Asks for the charge and grants the credits. An unknown outcome leaves the order charging, its reservation kept. */
async function pay(
  ports: Ports,
  order: OrderRecord,
  plan: PlanRecord,
  delegation: DelegationRecord | null,
): Promise<Paid> {
  const rail = railFor(ports, plan);
  if (!rail) {
    const balance = await ports.orders.mint(order.orderId, null);
    return { order: { ...order, status: "minted" }, balance };
  }
  await ports.orders.markCharging(order.orderId);
  let outcome: ChargeOutcome;
  try {
    outcome = await rail.charge(order, plan, delegation);
  } catch (cause) {
    ports.log.warn({ orderId: order.orderId, cause: String(cause) }, "order outcome unknown");
    return { order: { ...order, status: "charging" }, balance: undefined };
  }
  if (outcome.status === "paid") {
    const balance = await ports.orders.mint(order.orderId, outcome.reference);
    return { order: { ...order, status: "minted", reference: outcome.reference }, balance };
  }
  const { code, message } = outcome;
  const status = outcome.requiresAction ? "requires_action" : "declined";
  await ports.orders.decline(order.orderId, status, { code, message });
  return {
    order: { ...order, status, failureCode: code, failureMessage: message },
    balance: undefined,
  };
}

async function resume(
  context: Context,
  order: OrderRecord,
  fingerprint: string,
): Promise<OrderReceipt> {
  if (order.fingerprint !== fingerprint) {
    throw new PaymentsError(
      "idempotency_conflict",
      "This Idempotency-Key was used for another order.",
    );
  }
  if (order.status !== "reserved") return receiptOf({ order, balance: undefined });
  // Reserved and not charging: the first attempt ended before it asked for a payment.
  const plan = await findPlan(context, order.planId);
  const delegation = order.delegationId
    ? await context.ports.delegations.find(order.delegationId)
    : null;
  return receiptOf(await pay(context.ports, order, plan, delegation));
}

/** The rail that takes a plan's price; null when it costs nothing. Throws `rail_unavailable` without one. */
function railFor(ports: Ports, { price }: PlanRecord): SettlementRail | null {
  if (isFree(price)) return null;
  const scheme = schemeOfPrice(price);
  const rail = ports.rails.find((candidate) => candidate.scheme === scheme);
  if (rail) return rail;
  throw new PaymentsError("rail_unavailable", `This deployment takes no payments by ${scheme}.`);
}

function newOrder(
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
    createdAt: now,
    chargedAt: null,
    updatedAt: now,
  };
}

function receiptOf({ order, balance }: Paid): OrderReceipt {
  if (order.status === "declined") {
    throw new PaymentsError("payment_refused", order.failureMessage ?? "The payment was refused.", {
      details: [{ path: "order", message: order.failureCode ?? "declined" }],
    });
  }
  const isMinted = order.status === "minted";
  return {
    success: isMinted,
    orderId: order.orderId,
    status: order.status,
    ...(order.reference && { txHash: order.reference }),
    ...(balance !== undefined && { balance }),
    ...(!isMinted && { message: UNFINISHED[order.status] ?? order.status }),
  };
}

const UNFINISHED: Record<string, string> = {
  reserved: "The order is being paid.",
  charging: "The payment's outcome is not known yet. Ask again for this order; do not pay again.",
  requires_action: "The payment needs your confirmation.",
  refunded: "The order was refunded.",
};
