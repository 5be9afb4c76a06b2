import { PaymentsError } from "@turnpike/payments/protocol";
import { actingFor } from "../context.ts";
import { requireCovering } from "../delegations/delegation-cover.ts";
import { eachAlone } from "../each-alone.ts";
import { limitText } from "../orders/limit-text.ts";
import type { OrderFailure } from "../orders/order-ports.ts";
import { newOrder, payOrder, requireSales, resumeOrder } from "../orders/pay-order.ts";
import { abandonOrder } from "../orders/resolve-orders.ts";
import type { Cause } from "../permissions/causes.ts";
import type { Ports } from "../ports.ts";
import type { DelegationRecord, OrderRecord, PlanRecord } from "../records.ts";
import { nextAttemptAt, renewalDueAt } from "./renewal-dates.ts";
import type { RenewalFailure, RenewalRecord, RenewalStep } from "./renewal-ports.ts";
import {
  findAgreedPlan,
  firstAttempt,
  NEEDS_PERSON,
  orderKeyOf,
  REQUIRES_ACTION,
} from "./renewals.ts";

/** When an order under way, or one that could not be made, is looked at again. */
const LOOK_MS = 60_000;
/** Failures of an order that another attempt can overcome. All others stop the renewal. */
const PASSING = new Set([
  "insufficient_funds",
  "processor_unavailable",
  "processing_error",
  "issuer_not_available",
  "try_again_later",
  "not_paid_in_time",
  "gas_budget",
  "paused",
]);

const REPLACED: OrderFailure = {
  code: "delegation_replaced",
  message: "The renewal pays with another delegation now. Nothing was charged.",
};

/** Orders the plans whose renewal is due; how many it looked at. */
export async function resolveRenewals(ports: Ports, limit = 20): Promise<number> {
  const items = await ports.renewals.takeDue(limit);
  const says = "renewal could not be looked at";
  // Of one that fails the lease runs out, and the same order is found again under its key.
  await eachAlone(ports, { items, says, facts: (of) => of }, async (of) => {
    // The charges of those before it can take minutes.
    const renewal = await ports.renewals.findOn(of);
    const step = renewal && (await renew(ports, renewal));
    if (step) await ports.renewals.moveOn(renewal, step);
  });
  return items.length;
}

/** Null when the renewal was changed meanwhile. */
async function renew(ports: Ports, renewal: RenewalRecord): Promise<RenewalStep | null> {
  const { endsAt, periodEnd, durationSecs, hasAccess } = renewal;
  // Prolonged already: by the order of this period, by the subscriber, or by a refund that failed.
  if (endsAt && endsAt > periodEnd) {
    return nextPeriod(endsAt, durationSecs);
  }
  const key = orderKeyOf(renewal);
  const known = await ports.orders.findByKey(renewal.account, key);
  const now = await ports.clock.now();
  // Its time was paid and taken with an earlier order's. An order that was paid since the balance was read is seen next.
  if (known?.status === "minted") return again(renewal, now);
  if (known && known.delegationId !== renewal.delegationId) return replace(ports, renewal, known);
  if (known) return stepOf(ports, renewal, (await resumeOrder(ports, known)).order);
  // A refund that fails until then gives the time back.
  const dueAt = renewalDueAt(periodEnd, durationSecs);
  if (!hasAccess && now < dueAt) return wait(renewal, dueAt);
  if (!hasAccess) return stop("refunded", "The subscription was refunded.");
  // Time that was refunded ends the period sooner, maybe where another ended that was renewed.
  if (endsAt && endsAt < periodEnd) {
    return nextPeriod(endsAt, durationSecs, await firstAttempt(ports, renewal, endsAt));
  }
  if (now < dueAt) return wait(renewal, dueAt);
  const terms = await findTerms(ports, renewal);
  if ("failure" in terms) return { state: "stopped", failure: terms.failure };
  requireSales(ports, terms.plan.price);
  const order = newOrder(ports, terms.plan, {
    account: renewal.account,
    fingerprint: "renewal",
    delegation: terms.delegation,
    now,
    idempotencyKey: key,
    paymentMethodId: terms.delegation.paymentMethodId,
    jti: null,
  });
  const reservation = await ports.orders.reserveRenewal(order, renewal, noteOf(order, renewal));
  switch (reservation.outcome) {
    case "changed":
      return null;
    case "limit":
      return stop(reservation.limit, `${limitText(reservation.limit)} ${AGAIN}`);
    case "budget":
      return stop(reservation.cause, budgetText(reservation.cause));
    case "existing":
      return stepOf(ports, renewal, (await resumeOrder(ports, reservation.order)).order);
    case "reserved":
      return stepOf(
        ports,
        renewal,
        (await payOrder(ports, order, terms.plan, terms.delegation)).order,
      );
    default:
      return stop(reservation.outcome, "The balance can't hold another order of this plan.");
  }
}

const budgetText = (cause: Cause): string =>
  cause === "pending_approval" || cause === "approval_declined"
    ? NEEDS_PERSON
    : "A budget does not allow this order. Raise it, then turn the renewal on.";

const AGAIN = "Turn the renewal on with another delegation.";

/** The plan and delegation as they were agreed to, or why the renewal stops. */
async function findTerms(
  ports: Ports,
  renewal: RenewalRecord,
): Promise<{ plan: PlanRecord; delegation: DelegationRecord } | { failure: RenewalFailure }> {
  const context = actingFor(ports, renewal.account, "renewal");
  const delegation = await ports.delegations.find(renewal.delegationId);
  if (!delegation) return stop("delegation_not_found", `The delegation no longer exists. ${AGAIN}`);
  const agreed = await findAgreedPlan(context, renewal);
  if ("failure" in agreed) return stop(agreed.failure.code, agreed.failure.message);
  try {
    await requireCovering(context, delegation, agreed.plan, "delegationId");
    return { ...agreed, delegation };
  } catch (cause) {
    if (!PaymentsError.is(cause) || cause.code === "unavailable") throw cause;
    return stop(cause.code, cause.message);
  }
}

/**
 * An order on the delegation that paid before. Unless it is paid, or may be, the period gets an attempt on the one that was
 * agreed to since.
 */
async function replace(
  ports: Ports,
  renewal: RenewalRecord,
  known: OrderRecord,
): Promise<RenewalStep> {
  const isUnpaid = known.status === "reserved" || known.status === "requires_action";
  const order = isUnpaid ? await abandonOrder(ports, known, REPLACED) : known;
  return order.status === "declined"
    ? again(renewal, await ports.clock.now())
    : stepOf(ports, renewal, order);
}

/** What an order that was made for a period means for its renewal. */
async function stepOf(
  { clock }: Ports,
  { periodEnd, durationSecs, attempt }: RenewalRecord,
  { status, failureCode, failureMessage }: OrderRecord,
): Promise<RenewalStep> {
  const now = await clock.now();
  if (status === "minted" || status === "refunded") {
    return nextPeriod(new Date(periodEnd.getTime() + Number(durationSecs) * 1000), durationSecs);
  }
  const failure = {
    code: status === "requires_action" ? REQUIRES_ACTION : (failureCode ?? status),
    message: failureMessage ?? "The payment must be confirmed. Confirm it on the order's page.",
  };
  if (status !== "declined") {
    const dueAt = new Date(now.getTime() + LOOK_MS);
    return { state: "on", attempt, dueAt, failure: status === "requires_action" ? failure : null };
  }
  const dueAt = PASSING.has(failure.code) ? nextAttemptAt(now, attempt) : undefined;
  return dueAt
    ? { state: "on", attempt: attempt + 1, dueAt, failure }
    : { state: "stopped", failure };
}

const nextPeriod = (periodEnd: Date, durationSecs: bigint, attempt = 0): RenewalStep => ({
  state: "on",
  periodEnd,
  attempt,
  dueAt: renewalDueAt(periodEnd, durationSecs),
  failure: null,
});

/** The period gets another attempt at once. */
const again = ({ attempt }: RenewalRecord, dueAt: Date): RenewalStep =>
  wait({ attempt: attempt + 1 }, dueAt);

/** Nothing is due yet. */
const wait = ({ attempt }: Pick<RenewalRecord, "attempt">, dueAt: Date): RenewalStep => ({
  state: "on",
  attempt,
  dueAt,
  failure: null,
});

const stop = (code: string, message: string): RenewalStep & { failure: RenewalFailure } => ({
  state: "stopped",
  failure: { code, message },
});

/** A renewal orders as who switched it on: rules for approvals count for its orders as for those of its key. */
const noteOf = ({ account, planId }: OrderRecord, { keyId }: RenewalRecord) => ({
  account,
  keyId,
  action: "renewal.order",
  subject: planId,
  requestId: "renewal",
});
