import type { AccessToken, OrderTerms } from "@turnpike/payments/protocol";
import { parCurrency } from "../orders/money.ts";
import type { Rail, RailPrice } from "../rails/rail.ts";
import type { Cause } from "./causes.ts";
import { liveCredits, type PermissionFacts } from "./permission-facts.ts";

type Offered = { version: number; price: RailPrice; granted: bigint; durationSecs: bigint };

/** What one order of a plan costs and grants now: what a token signs, and what a top-up is held against. */
export function orderTermsOf(
  { version, price, granted, durationSecs }: Offered,
  rail: Pick<Rail, "quote">,
): OrderTerms {
  const { total, unit } = rail.quote(price);
  return {
    planVersion: version,
    price: total.toString(),
    unit,
    credits: granted.toString(),
    durationSecs: durationSecs.toString(),
  };
}

/**
 * Why the current terms are worse than those signed, or null: more expensive, in another unit, for less, or for less time.
 */
function findWorse(signed: OrderTerms, now: OrderTerms): Cause | null {
  if (now.unit !== signed.unit || BigInt(now.price) > BigInt(signed.price)) return "price_changed";
  if (BigInt(now.credits) < BigInt(signed.credits)) return "fewer_credits";
  return lasts(now) < lasts(signed) ? "fewer_credits" : null;
}

/** Whether a request may take more credits after an order than when the token was minted: each then costs more. */
const isRaised = ({
  accessLimit,
  newest,
  signedPerRequest,
}: NonNullable<PermissionFacts["plan"]>) =>
  accessLimit === "credits" && signedPerRequest !== null && newest.perRequest > signedPerRequest;

/** 0 seconds never end. */
const lasts = ({ durationSecs }: OrderTerms): number =>
  durationSecs === "0" ? Number.POSITIVE_INFINITY : Number(durationSecs);

/**
 * Why a request may not order the plan first, or null when one order within the limits of token and delegation, at the
 * terms the token signed, gives it enough. A free plan is ordered where it never was;
 * free and trial plans are never topped up.
 */
export function findOrderFault(
  { plan, token, delegation, balance, openTopUp }: PermissionFacts,
  { rail, amount, limits, mayOrder }: OrderQuestion,
): Cause | null {
  if (!plan || !token || !delegation) return "no_credits";
  const { total, currency, cents } = rail.quote(plan.newest.price);
  if (plan.isTrial) return balance ? "trial_used_up" : "no_credits";
  if (total === 0n && balance) return "no_credits";
  if (plan.isArchived || rail.isLeftOut) return "plan_archived";
  if (!mayOrder || !token.canOrder) return "order_not_allowed";
  const signed = limits.order;
  if (!signed) return "terms_not_signed";
  if (isRaised(plan)) return "price_changed";
  const worse = findWorse(signed, orderTermsOf(plan.newest, rail));
  if (worse) return worse;
  if (plan.accessLimit === "credits") {
    const filled = liveCredits(balance) + plan.newest.granted;
    if (filled < amount) return "order_too_small";
    // The order's credits repay the debt first.
    if (filled - (balance?.debt ?? 0n) < amount) return "credits_owed";
  }
  // The limits are less by the order that the request waits for.
  if (openTopUp) return openTopUp === "requires_action" ? "authentication_required" : null;
  // Whatever the delegation has left: this token was minted to order nothing.
  if (total > 0n && limits.orderLimit === "0") return "order_limit";
  if (currency !== null && currency !== parCurrency(delegation.currency))
    return "currency_mismatch";
  if (currency === null && total > (delegation.orderLimit ?? 0n)) return "order_limit";
  if (cents > delegation.budgetLeft) return "spending_limit";
  if (delegation.transactionsLeft !== null && delegation.transactionsLeft <= 0n)
    return "max_transactions";
  // Last: what the delegation lacks, a token that may order more lacks, too.
  return total > token.orderLeft ? "order_limit" : null;
}

type OrderQuestion = {
  rail: Pick<Rail, "quote" | "isLeftOut">;
  amount: bigint;
  /** What the token signed. */
  limits: AccessToken["payload"]["sessionKey"]["limits"];
  mayOrder: boolean;
};
