import {
  isFree,
  MAX_PAGE_SIZE,
  type OutputOf,
  type ParsedInputOf,
  PaymentsError,
  type Renewal,
} from "@turnpike/payments/protocol";
import { toMinorUnits } from "@/lib/console/minor-units.ts";
import { auditNote, type Context, invalid, notFound, requireCaller } from "../context.ts";
import { requireCovering, requireSameCurrency } from "../delegations/delegation-cover.ts";
import { getDelegationRecord } from "../delegations/delegations.ts";
import { requirePaidWithinRoot } from "../delegations/key-roots.ts";
import { parCurrency } from "../orders/money.ts";
import { pageAnswer } from "../page-answer.ts";
import { getOrderablePlan, requireOrderable, requireVersion } from "../plans/plans.ts";
import type { Ports } from "../ports.ts";
import { currencyPaid, requireCharging } from "../rails/rail.ts";
import type { PlanRecord } from "../records.ts";
import { noticeAt, renewalDueAt } from "./renewal-dates.ts";
import type { ListedRenewal, RenewalFailure, RenewalRecord } from "./renewal-ports.ts";

/** The failure of an attempt whose payment the subscriber has to confirm. */
export const REQUIRES_ACTION = "requires_action";

/** Turns the renewal of one of the caller's time plans on, at the current price, or off. */
export async function setRenewal(
  context: Context,
  input: ParsedInputOf<"setRenewal">,
): Promise<Renewal> {
  const { account } = requireCaller(context);
  const { renewals } = context.ports;
  const { planId } = input;
  if (input.isOn) await switchOn(context, input);
  else await renewals.switchOff(account, planId, auditNote(context, "renewal.off", planId));
  const [renewal] = (await listRenewals(context, { planId, limit: 1 })).items;
  if (!renewal) throw notFound("renewal", planId);
  return renewal;
}

/** How many renewals are listed at once for a client that asks for no page. */
const MOST = 1_000;

export async function listRenewals(
  context: Context,
  query: ParsedInputOf<"listRenewals">,
): Promise<OutputOf<"listRenewals">> {
  const { account } = requireCaller(context);
  const { renewals, clock } = context.ports;
  const { planId, ...paging } = query;
  const isWhole = Object.values(paging).every((value) => value === undefined);
  const limit = MAX_PAGE_SIZE;
  let page = await renewals.list(account, isWhole ? { planId, limit } : query);
  const rows = [...page.items];
  while (isWhole && page.nextCursor && rows.length < MOST) {
    page = await renewals.list(account, { planId, limit, cursor: page.nextCursor });
    rows.push(...page.items);
  }
  const now = await clock.now();
  const items = await Promise.all(rows.map((row) => answerOf(context, row, now)));
  return { ...pageAnswer({ ...page, items }, query), ...(isWhole && { offset: MOST }) };
}

async function switchOn(
  context: Context,
  { planId, delegationId, planVersion }: ParsedInputOf<"setRenewal">,
): Promise<void> {
  const { account, keyId } = requireCaller(context);
  const { ports } = context;
  if (delegationId === undefined) {
    throw invalid("delegationId", "Name the delegation that pays for the renewal.");
  }
  const held = await ports.renewals.findPeriod(account, planId);
  if (!held) throw notFound("subscription", planId);
  const plan = await getOrderablePlan(context, planId);
  requireVersion(plan, planVersion);
  const endsAt = held.endsAt;
  if (plan.accessLimit !== "time" || plan.isTrial || !endsAt) {
    throw invalid("planId", "Only time plans renew. Trials don’t.");
  }
  const now = await ports.clock.now();
  if (endsAt <= now || !held.hasAccess) {
    throw new PaymentsError(
      "conflict",
      "This subscription has expired. Order the plan again first.",
      {
        details: [{ path: "planId", message: "expired" }],
      },
    );
  }
  const delegation = await getDelegationRecord(context, delegationId);
  await requirePaidWithinRoot(context, plan, delegationId);
  await requireCovering(context, delegation, plan, "delegationId");
  requireSameCurrency(context, delegation, plan, "delegationId");
  const { price, currency } = priceOf(ports, plan);
  const { durationSecs } = plan.credits;
  await ports.renewals.switchOn(
    {
      ...{ account, planId, delegationId, keyId, price, currency, durationSecs },
      ...{ periodEnd: endsAt, attempt: await firstAttempt(ports, { account, planId }, endsAt) },
      dueAt: renewalDueAt(endsAt, durationSecs),
    },
    auditNote(context, "renewal.on", planId),
  );
}

/** What one order of a plan costs, and what it is paid in. */
export function priceOf({ rails }: Pick<Ports, "rails">, { price }: PlanRecord) {
  const rail = requireCharging(rails.getByPrice(price));
  const { total, unit } = rail.quote(price);
  return { price: total, currency: currencyPaid(rail, unit) };
}

/** The key of the order that a renewal makes next: its plan, period and attempt. */
export const orderKeyOf = ({
  planId,
  periodEnd,
  attempt,
}: Pick<RenewalRecord, "planId" | "periodEnd" | "attempt">): string =>
  `renewal/${planId}/${periodEnd.getTime()}/${attempt}`;

/**
 * The attempt at a period after the last one whose order was paid. That order would be found again under its key, although
 * the balance ends without the time that it bought.
 */
export async function firstAttempt(
  { orders }: Pick<Ports, "orders">,
  { account, planId }: Pick<RenewalRecord, "account" | "planId">,
  periodEnd: Date,
): Promise<number> {
  let first = 0;
  for (let attempt = 0; ; attempt++) {
    const made = await orders.findByKey(account, orderKeyOf({ planId, periodEnd, attempt }));
    if (!made) return first;
    if (made.status === "minted" || made.status === "refunded") first = attempt + 1;
  }
}

/** The plan of a renewal, if it can be ordered as it was agreed to, or why the renewal stops. */
export async function findAgreedPlan(
  context: Context,
  renewal: RenewalRecord,
  read?: Pick<ListedRenewal, "plan" | "isStopped">,
): Promise<{ plan: PlanRecord } | { failure: RenewalFailure }> {
  try {
    const plan = read
      ? requireOrderable(context, read)
      : await getOrderablePlan(context, renewal.planId);
    const { price, currency } = priceOf(context.ports, plan);
    const isSame =
      price === renewal.price &&
      currency === renewal.currency &&
      plan.credits.durationSecs === renewal.durationSecs;
    return isSame && !isFree(plan.price) ? { plan } : { failure: PRICE_CHANGED };
  } catch (cause) {
    if (!PaymentsError.is(cause) || cause.code === "unavailable") throw cause;
    return { failure: { code: cause.code, message: cause.message } };
  }
}

export const NEEDS_PERSON =
  "An API key turned this renewal on, and its orders need a person’s approval. Sign in and turn it on.";

const PRICE_CHANGED: RenewalFailure = {
  code: "price_changed",
  message: "The plan’s price or time changed. Turn the renewal on again to accept the change.",
};

/** Why the next order of a renewal won't be made or paid, as things are now. An order that is under way has its part already. */
async function findObstacle(
  context: Context,
  row: ListedRenewal,
): Promise<RenewalFailure | undefined> {
  if (row.state !== "on") return undefined;
  const { delegation, order, cause } = row;
  if (delegation.revokedAt) {
    return { code: "delegation_revoked", message: "Its delegation was revoked." };
  }
  const { expiresAt, spendingLimitCents, spentCents, maxTransactions, transactionCount } =
    delegation;
  if (expiresAt <= (row.dueAt ?? row.periodEnd)) {
    return {
      code: "delegation_expires",
      message: "Its delegation expires before the next renewal.",
    };
  }
  if (order && order.status !== "declined") return undefined;
  // Limits don't count tokens without a par value.
  const isCounted = !row.currency.startsWith("0x");
  const cents = isCounted ? toMinorUnits(row.price, parCurrency(row.currency)) : 0n;
  const isSpent = spendingLimitCents - spentCents < cents;
  if (isSpent || (maxTransactions !== null && transactionCount >= maxTransactions)) {
    return {
      code: "delegation_spent",
      message: "Its delegation has too little left for the next order.",
    };
  }
  const agreed = await findAgreedPlan(context, row, row);
  if ("failure" in agreed) return agreed.failure;
  if (!cause) return undefined;
  const refused = "A budget doesn’t allow the next order. Change the budget.";
  return { code: cause, message: cause === "pending_approval" ? NEEDS_PERSON : refused };
}

async function answerOf(context: Context, row: ListedRenewal, now: Date): Promise<Renewal> {
  const isOn = row.state === "on";
  const isWaiting = isOn && row.failureCode === REQUIRES_ACTION;
  const obstacle = await findObstacle(context, row);
  return {
    planId: row.planId,
    planName: row.planName,
    state: row.state,
    delegationId: row.delegationId,
    price: row.price.toString(),
    currency: row.currency,
    ...(row.endsAt && { endsAt: row.endsAt.toISOString() }),
    ...(isOn && row.dueAt && { renewsAt: row.dueAt.toISOString() }),
    isSoon: isOn && noticeAt(row.periodEnd, row.durationSecs) <= now,
    ...(row.failureCode && {
      failure: { code: row.failureCode, message: row.failureMessage ?? row.failureCode },
    }),
    ...(obstacle && { obstacle }),
    ...(isWaiting && row.order && { orderId: row.order.orderId }),
  };
}
