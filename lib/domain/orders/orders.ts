import {
  type OrderReceipt,
  type ParsedInputOf,
  PaymentsError,
  toJson,
} from "@turnpike/payments/protocol";
import { refusedByBudget } from "../budgets/order-approval.ts";
import { auditNote, type Context, invalid, notFound, requireCaller } from "../context.ts";
import {
  requireCovering,
  requireIdAlone,
  requireSameCurrency,
} from "../delegations/delegation-cover.ts";
import { delegationToCreate, getDelegationRecord } from "../delegations/delegations.ts";
import { requirePaidWithinRoot, withKeyRoot } from "../delegations/key-roots.ts";
import { signatureRequired } from "../delegations/owner-signature.ts";
import { getOrderablePlan, getPlanBalance, getPlanRecord, requireVersion } from "../plans/plans.ts";
import type { Ports } from "../ports.ts";
import { requireCharging } from "../rails/rail.ts";
import type { DelegationRecord, OrderRecord, PlanRecord } from "../records.ts";
import type { Verb } from "../verb.ts";
import { findCheckoutSession } from "./checkout-session.ts";
import { limitText } from "./limit-text.ts";
import type { PaidOrder } from "./order-ports.ts";
import { newOrder, payOrder, requireSales, resumeOrder } from "./pay-order.ts";
import { CONFIRM_WITHIN_SECS, refreshOrder } from "./resolve-orders.ts";

type OrderInput = ParsedInputOf<"orderPlan">;

/** The keys of top-ups and renewals; `top-up/2` is another: a checkout session's second order. */
const SERVICE_KEY = /^(top-up|renewal)\/.*\//s;

/**
 * Orders a plan (§4.1): pays its price and grants its credits. A repeat with the same idempotency key
 * finds the same order, whatever became of the first answer. Throws `already_ordered` for a second
 * trial, `payment_refused` with the reason when the payment was refused.
 */
export async function orderPlan(context: Context, given: OrderInput): Promise<OrderReceipt> {
  const { account } = requireCaller(context);
  const { idempotencyKey } = given;
  // First: what was ordered stays ordered, whatever became of the plan and of the caller's key.
  const known = idempotencyKey && (await context.ports.orders.findByKey(account, idempotencyKey));
  if (known) return resume(context, known, given);
  if (idempotencyKey && SERVICE_KEY.test(idempotencyKey))
    throw invalid(
      "idempotencyKey",
      'Keys like "top-up/…/…" or "renewal/…/…" are reserved for the service. Use another key.',
    );
  const plan = await getOrderablePlan(context, given.planId);
  const input = await withKeyRoot(context, given, plan);
  await requirePaidWithinRoot(context, plan, input.delegationId);
  requireVersion(plan, input.planVersion);
  const created = await delegationOfOrder(context, given, plan);
  const delegation =
    created ?? (input.delegationId ? await getDelegationRecord(context, input.delegationId) : null);
  if (delegation) {
    const path = created ? "delegationConfig" : "delegationId";
    await requireCovering(context, delegation, plan, path);
    requireSameCurrency(context, delegation, plan, path);
  }
  requireSales(context.ports, plan.price);
  const order = newOrder(context.ports, plan, {
    account,
    fingerprint: fingerprintOf(context, given),
    delegation,
    now: await context.ports.clock.now(),
    idempotencyKey: idempotencyKey ?? null,
    paymentMethodId: input.providerPaymentMethodId ?? delegation?.paymentMethodId ?? null,
    jti: null,
    endsDelegation: input.endsDelegation ?? false,
  });
  const reservation = await context.ports.orders.reserve(
    order,
    auditNote(context, "order", plan.planId),
    created,
  );
  switch (reservation.outcome) {
    case "existing":
      return resume(context, reservation.order, given);
    case "trial-taken":
      throw new PaymentsError(
        "already_ordered",
        `You have already ordered the trial plan ${plan.planId}.`,
      );
    case "full":
      throw new PaymentsError(
        "payment_refused",
        `The balance on plan ${plan.planId} cannot hold another order's credits. Nothing was charged.`,
        {
          hint: "Use credits of this plan, then order again.",
          details: [{ path: "order", message: "balance_full" }],
        },
      );
    case "budget":
      // A delegation that was to be created is not.
      if (created) order.delegationId = null;
      throw await refusedByBudget(context, order, reservation.cause);
    case "limit":
      throw new PaymentsError(
        "payment_refused",
        `${limitText(reservation.limit)} Nothing was charged.`,
      );
    default:
      return answer(context, await payOrder(context.ports, order, plan, delegation));
  }
}

/** The delegation to create with the order; null where it asks for none. */
async function delegationOfOrder(
  context: Context,
  { delegationConfig: config, delegationId, providerPaymentMethodId }: OrderInput,
  { planId, price }: PlanRecord,
): Promise<DelegationRecord | null> {
  if (!config) return null;
  if (delegationId) requireIdAlone(config);
  const { delegationProvider: provider } = context.ports.rails.getByPrice(price);
  const terms = { ...config, provider, providerPaymentMethodId, planId };
  const delegation = await delegationToCreate(context, terms);
  if (delegation.signBefore) throw signatureRequired("delegationConfig");
  return delegation;
}

/** An order of the caller's; one that waits for a confirmation is updated from its payment first. */
export const getOrder: Verb<"getOrder"> = async (context, { orderId }) => {
  const { ports } = context;
  const order = await ports.orders.find(orderId);
  if (!order || order.account !== requireCaller(context).account) throw notFound("order", orderId);
  if (order.status !== "requires_action") return receiptOf(ports, { order });
  const refreshed = await refreshOrder(ports, orderId).catch((cause) => {
    ports.log.warn({ orderId, cause: String(cause) }, "order could not be looked at");
    return order;
  });
  return receiptOf(ports, { order: refreshed ?? order });
};

const answer = (context: Context, paid: PaidOrder): Promise<OrderReceipt> =>
  receiptOf(context.ports, requirePaid(paid));

async function resume(
  context: Context,
  order: OrderRecord,
  given: OrderInput,
): Promise<OrderReceipt> {
  if (!(await isMadeBy(context, order, given))) {
    throw new PaymentsError(
      "idempotency_conflict",
      "This Idempotency-Key was used for another order.",
    );
  }
  const paid = await resumeOrder(context.ports, order);
  if (paid.balance !== undefined || paid.order.status !== "minted") return answer(context, paid);
  // Its first answer had a balance.
  const { planId, account } = order;
  const { balance } = await getPlanBalance(context, { planId, holderAddress: account });
  return answer(context, { ...paid, balance });
}

/** Whether the input made the order; earlier releases digested it with the delegation of the caller's key. */
async function isMadeBy(context: Context, order: OrderRecord, given: OrderInput): Promise<boolean> {
  if (order.fingerprint === fingerprintOf(context, given)) return true;
  const plan = await getPlanRecord(context, order.planId);
  return order.fingerprint === fingerprintOf(context, await withKeyRoot(context, given, plan));
}

const fingerprintOf = ({ ports }: Context, input: OrderInput): string =>
  ports.crypto.digest(toJson({ ...input, idempotencyKey: undefined }));

/** An order for its own account: its status, what went wrong, what to do, and how to confirm it. */
async function receiptOf(ports: Ports, paid: PaidOrder): Promise<OrderReceipt> {
  const { order, balance } = paid;
  const { orderId, status, failureCode, reference } = order;
  const isMinted = status === "minted";
  const message = order.failureMessage ?? UNFINISHED[status];
  const nextStep = order.failureNextStep;
  return {
    success: isMinted,
    orderId,
    status,
    ...(reference && { txHash: reference }),
    ...(balance !== undefined && { balance }),
    ...(!isMinted && {
      ...(failureCode && { code: failureCode }),
      ...(message && { message }),
      ...(nextStep && { nextStep }),
    }),
    ...(status === "requires_action" && (await confirmationOf(ports, order))),
  };
}

/** The order, or `payment_refused` with its reason and next step when it was declined. */
function requirePaid(paid: PaidOrder): PaidOrder {
  const { status, failureCode, failureMessage, failureNextStep } = paid.order;
  if (status !== "declined") return paid;
  throw new PaymentsError("payment_refused", failureMessage ?? "The payment was refused.", {
    details: [{ path: "order", message: failureCode ?? "declined" }],
    ...(failureNextStep && { hint: failureNextStep }),
  });
}

async function confirmationOf(
  { rails, log }: Ports,
  order: OrderRecord,
): Promise<Pick<OrderReceipt, "confirmBy" | "confirmation">> {
  const rail = rails.find(order.scheme);
  const confirmBy = new Date(order.createdAt.getTime() + CONFIRM_WITHIN_SECS * 1000).toISOString();
  try {
    const confirmation = await rail?.confirmationOf?.(order);
    return { confirmBy, ...(confirmation && { confirmation }) };
  } catch (cause) {
    log.warn({ orderId: order.orderId, cause: String(cause) }, "confirmation could not be read");
    return { confirmBy };
  }
}

const UNFINISHED: Partial<Record<OrderRecord["status"], string>> = {
  reserved: "The order is being paid.",
  charging: "The payment's outcome is not known yet. Check this order again; do not pay again.",
  requires_action: "The payment needs your confirmation.",
  refunded: "The order was refunded.",
};

const LINK_LASTS_MS = 24 * 3600 * 1000;

/**
 * Buys a plan with a fiat price. With a card or delegation named it is ordered at once; otherwise the answer is a link
 * to the checkout, where a person chooses a card and pays; nothing is charged before that. The checkout orders within
 * the session, so that a link pays once.
 */
export const orderFiatPlan: Verb<"orderFiatPlan"> = async (context, input) => {
  const { ports } = context;
  const { account } = requireCaller(context);
  const { idempotencyKey } = input;
  const ordered = idempotencyKey && (await ports.orders.findByKey(account, idempotencyKey));
  const plan = await (ordered ? getPlanRecord : getOrderablePlan)(context, input.planId);
  if (!requireCharging(ports.rails.getByPrice(plan.price)).fiatProvider) {
    throw invalid("planId", `Plan ${plan.planId} is not paid by card. Order it with orderPlan.`);
  }
  const { planId, providerPaymentMethodId, delegationId } = input;
  const sessionId = idempotencyKey ?? `cs_${ports.crypto.randomId()}`;
  const isNamed = providerPaymentMethodId !== undefined || delegationId !== undefined;
  const order = isNamed
    ? await orderPlan(context, {
        planId,
        idempotencyKey: sessionId,
        providerPaymentMethodId,
        delegationId,
      })
    : undefined;
  const session = order ? null : await findCheckoutSession(ports, { account, planId }, sessionId);
  const known = session?.order;
  const now = await ports.clock.now();
  const expiresAt = new Date(now.getTime() + LINK_LASTS_MS);
  const link = { session: sessionId, ends: `${expiresAt.getTime()}` };
  const isPaid = order?.success === true || known?.status === "minted";
  return {
    result: {
      stripeCheckoutSessionId: sessionId,
      checkoutLink: linkOf(ports.origin, planId, link, order ?? known),
      clientReferenceId: account,
      paymentStatus: isPaid ? "paid" : "unpaid",
      linkCreatedAt: now.toISOString(),
      linkExpiresAt: expiresAt.toISOString(),
    },
    ...(order && { order }),
  };
};

function linkOf(
  origin: string,
  planId: string,
  link: { session: string; ends: string },
  order: { orderId: string } | null | undefined,
): string {
  const path = `${origin}/checkout/${encodeURIComponent(planId)}`;
  return order ? `${path}/${order.orderId}` : `${path}?${new URLSearchParams(link)}`;
}
