import { PaymentsError } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import type { Cause } from "../permissions/causes.ts";
import type { Permission } from "../permissions/decide.ts";
import { type PermissionRequest, subjectOf } from "../permissions/permission-request.ts";
import { getPlanRecord } from "../plans/plans.ts";
import type { Ports } from "../ports.ts";
import type { AuditNote, DelegationRecord, OrderRecord } from "../records.ts";
import type { OrderLimit } from "./order-ports.ts";
import { newOrder, payOrder, requireSales } from "./pay-order.ts";
import { endWaiting } from "./resolve-orders.ts";

/** The result of a top-up; `wait`: another request filled the balance or is about to, or the plan has just changed. */
export type TopUpOutcome =
  | { outcome: "paid"; reference: string | null }
  | { outcome: "wait" }
  | { outcome: "refused"; cause: Cause };

/** How often one request may buy: other requests of the subscriber may use up what it bought. */
const MOST_PER_REQUEST = 6;
/** After as many failures the next try waits for a minute, and for twice as long after each further one, at most a day. */
const FAILURES_AT_ONCE = 5;
const MINUTE_MS = 60_000;
const LONGEST_WAIT_MS = 86_400_000;
/** Refusals that are not about the card: the same request may try again. All others are final for it. */
const PASSING = new Set([
  "processor_unavailable",
  "processing_error",
  "issuer_not_available",
  "try_again_later",
  "not_paid_in_time",
]);

/**
 * Orders a plan because a request found too few credits, within the limits of the token and its delegation. The order
 * belongs to the request: a repeat finds it, and a refused card is not charged again for it.
 */
export async function orderForRequest(
  context: Context,
  permission: Permission,
  request: PermissionRequest,
  { account: builder }: { account: string },
): Promise<TopUpOutcome> {
  const { ports } = context;
  const { agentRequestId } = request;
  const delegation = await ports.delegations.find(permission.delegationId);
  if (await isWaiting(ports, permission, delegation)) return refuse("authentication_required");
  const key = await freeKey(ports, permission, { builder, agentRequestId });
  if ("outcome" in key) return key;
  const plan = await getPlanRecord(context, permission.planId);
  // Its price was judged at this version: never buy at one that came between.
  if (plan.version !== permission.planVersion) return { outcome: "wait" };
  requireSales(ports, plan.price);
  const order = newOrder(ports, plan, {
    account: permission.payer,
    fingerprint: "top-up",
    delegation,
    now: await ports.clock.now(),
    idempotencyKey: key.name,
    paymentMethodId: delegation?.paymentMethodId ?? null,
    jti: permission.jti,
    agentId: permission.agentId,
  });
  const note: AuditNote = {
    account: permission.payer,
    keyId: null,
    action: "top-up",
    subject: plan.planId,
    requestId: context.requestId,
  };
  const topUp = {
    amount: permission.amount,
    subject: subjectOf(request, permission),
    request: `${builder}/${agentRequestId}`,
  };
  const reservation = await ports.orders.reserveTopUp(order, topUp, note);
  if (reservation.outcome === "budget") {
    // Another request used the approval meanwhile: what is known is read again.
    if (reservation.cause === "pending_approval") return { outcome: "wait" };
    return refuse(reservation.cause);
  }
  if (reservation.outcome === "filled" || reservation.outcome === "existing")
    return { outcome: "wait" };
  if (reservation.outcome === "limit") return refuse(LIMIT_CAUSES[reservation.limit]);
  if (reservation.outcome === "full") return refuse("balance_full");
  if (reservation.outcome === "trial-taken") return refuse("trial_used_up");
  const paid = await payOrder(ports, order, plan, delegation);
  if (paid.order.status === "minted") return { outcome: "paid", reference: paid.order.reference };
  if (paid.order.status === "charging") throw unknownOutcome();
  return refusedBy(paid.order);
}

/** Whether an order of the delegation waits for its holder. One that can't be confirmed any more is canceled first. */
async function isWaiting(
  ports: Ports,
  { payer: account, planId, delegationId }: Permission,
  delegation: DelegationRecord | null,
): Promise<boolean> {
  const order = await ports.orders.findWaiting({ account, planId, delegationId });
  if (!order) return false;
  try {
    return (await endWaiting(ports, order, delegation)).status === "requires_action";
  } catch (cause) {
    ports.log.warn({ orderId: order.orderId, cause: String(cause) }, "order could not be canceled");
    throw unknownOutcome();
  }
}

const unknownOutcome = () =>
  new PaymentsError("outcome_unknown", "The top-up's outcome is not known yet.", {
    retryAfterSecs: 5,
  });

type RequestId = { builder: string; agentRequestId: string };

/** `facts_together` asks for the first. */
const keyOf = ({ builder, agentRequestId }: RequestId, count: number) =>
  `top-up/${builder}/${agentRequestId}/${count}`;

/** The payment of the last order that a request made, or null. */
export async function findOrderTx(
  { orders }: Pick<Ports, "orders">,
  payer: string,
  request: RequestId,
): Promise<string | null> {
  let reference: string | null = null;
  for (let count = 1; ; count++) {
    const order = await orders.findByKey(payer, keyOf(request, count));
    if (!order) return reference;
    if (order.status === "minted") reference = order.reference;
  }
}

/** The idempotency key of this request's next order, or the result of one it has already made. */
async function freeKey(
  ports: Ports,
  { payer, delegationId }: Permission,
  request: RequestId,
): Promise<{ name: string } | TopUpOutcome> {
  let bought = 0;
  let last: OrderRecord | null = null;
  for (let count = 1; ; count++) {
    const name = keyOf(request, count);
    const known = await ports.orders.findByKey(payer, name);
    if (!known) {
      const failures = count - 1 - bought;
      return last && (await isTooSoon(ports, last, failures)) ? refusedBy(last) : { name };
    }
    if (known.status === "reserved" || known.status === "charging") return { outcome: "wait" };
    // A repeat with a token of another delegation orders by that one.
    if (known.status === "requires_action" && known.delegationId !== delegationId) continue;
    if (known.status === "minted" || known.status === "refunded") {
      bought++;
      if (bought === MOST_PER_REQUEST) return refuse("too_many_orders");
    } else if (!PASSING.has(known.failureCode ?? "")) return refusedBy(known);
    else last = known;
  }
}

/** Whether the last failure is too recent for another try, after so many of them. */
async function isTooSoon(
  { clock }: Ports,
  { updatedAt }: OrderRecord,
  failures: number,
): Promise<boolean> {
  if (failures < FAILURES_AT_ONCE) return false;
  const waitMs = Math.min(LONGEST_WAIT_MS, MINUTE_MS * 2 ** (failures - FAILURES_AT_ONCE));
  return (await clock.now()).getTime() < updatedAt.getTime() + waitMs;
}

const refuse = (cause: Cause): TopUpOutcome => ({ outcome: "refused", cause });

const LIMIT_CAUSES = {
  spendingLimitCents: "spending_limit",
  maxTransactions: "max_transactions",
  orderLimit: "order_limit",
  revoked: "delegation_revoked",
  expired: "delegation_expired",
  tokenRevoked: "token_revoked",
} as const satisfies Record<OrderLimit, Cause>;

/** Failures of an order that are causes by the same name. */
const FAILURE_CAUSES = [
  "authentication_required",
  "insufficient_funds",
  "gas_budget",
  "price_too_low",
  "price_changed",
  "limit_exceeded",
  "grant_revoked",
  "grant_ended",
  "not_permitted",
  "paused",
] as const satisfies Cause[];

function refusedBy({ status, failureCode }: OrderRecord): TopUpOutcome {
  if (status === "requires_action") return refuse("authentication_required");
  return refuse(FAILURE_CAUSES.find((cause) => cause === failureCode) ?? "declined");
}
