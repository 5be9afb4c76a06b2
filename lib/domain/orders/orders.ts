import {
  type OrderReceipt,
  type ParsedInputOf,
  PaymentsError,
  toJson,
} from "@turnpike/payments/protocol";
import { refusedByBudget } from "../budgets/order-approval.ts";
import { auditNote, type Context, invalid, notFound, requireCaller } from "../context.ts";
import { requireCovering, requireSameCurrency } from "../delegations/delegation-cover.ts";
import { getDelegationRecord } from "../delegations/delegations.ts";
import { requirePaidWithinRoot, withKeyRoot } from "../delegations/key-roots.ts";
import { getOrderablePlan, getPlanBalance, getPlanRecord, requireVersion } from "../plans/plans.ts";
import type { OrderRecord } from "../records.ts";
import { limitText } from "./limit-text.ts";
import type { PaidOrder } from "./order-ports.ts";
import { receiptOf, requirePaid } from "./order-receipt.ts";
import { newOrder, payOrder, requireSales, resumeOrder } from "./pay-order.ts";
import { refreshOrder } from "./resolve-orders.ts";

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
  const delegation = input.delegationId
    ? await getDelegationRecord(context, input.delegationId)
    : null;
  if (delegation) {
    await requireCovering(context, delegation, plan, "delegationId");
    requireSameCurrency(context, delegation, plan, "delegationId");
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
  );
  switch (reservation.outcome) {
    case "existing":
      return resume(context, reservation.order, given);
    case "trial-taken":
      throw new PaymentsError(
        "already_ordered",
        `You have ordered the trial plan ${plan.planId} before.`,
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

/** An order of the caller's; one that waits for a confirmation is updated from its payment first. */
export async function getOrder(
  context: Context,
  { orderId }: ParsedInputOf<"getOrder">,
): Promise<OrderReceipt> {
  const { ports } = context;
  const order = await ports.orders.find(orderId);
  if (!order || order.account !== requireCaller(context).account) throw notFound("order", orderId);
  if (order.status !== "requires_action") return receiptOf(ports, { order });
  const refreshed = await refreshOrder(ports, orderId).catch((cause) => {
    ports.log.warn({ orderId, cause: String(cause) }, "order could not be looked at");
    return order;
  });
  return receiptOf(ports, { order: refreshed ?? order });
}

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
