import { PaymentsError } from "../../protocol/errors.ts";
import type { Plan } from "../../protocol/plans/plan.ts";
import { totalOf } from "../../protocol/plans/price-builders.ts";

/** Minor units of a currency: cents, as a `bigint` or a decimal string. */
export type Cents = bigint | string;

/** One order of a plan, or one payment to a seller, as it counts against limits. */
export type Purchase = {
  /** Empty for a payment to a seller. */
  planId: string;
  /** What it is, its price and its seller, for messages. */
  subject: string;
  seller: string;
  currency: string;
  cents: bigint;
  /** The same in the price's smallest unit, in which tokens are limited. */
  total: bigint;
  /** Names a call that may be made again, also by another process: it counts once a day. */
  call?: string | null;
};

/** What one order of the plan costs. Throws `spending_not_allowed` where that cannot be counted in cents. */
export function purchaseOf(plan: Plan): Purchase {
  const { planId, owner: seller, registry } = plan;
  const { orderCost, accessLimit } = plan.metadata.plan;
  const name = `Plan ${planId} (${JSON.stringify(plan.metadata.main.name)}) of seller ${seller}`;
  if (!orderCost) {
    throw new PaymentsError(
      "spending_not_allowed",
      `${name} is priced in a token without a known value in money, so no limit can count it. Nothing was ordered.`,
    );
  }
  const total = totalOf(registry.price);
  const { amount } = registry.credits;
  const what =
    accessLimit === "time" ? "one period" : `${amount} credit${amount === "1" ? "" : "s"}`;
  const { currency, cents } = orderCost;
  const subject = `${name} costs ${priceText(total, currency)} for ${what}`;
  return { planId, subject, seller, currency, cents, total };
}

/** An amount as people write it: prices in a currency have six decimals. */
export function priceText(millionths: bigint, currency: string): string {
  const digits = millionths.toString().padStart(7, "0");
  const decimals = digits.slice(-6).replace(/0{1,4}$/, "");
  return `${digits.slice(0, -6)}.${decimals} ${currency.toUpperCase()}`;
}

/** A purchase that was not made, and why. */
export const notAllowed = ({ subject }: Purchase, why: string): PaymentsError =>
  new PaymentsError("spending_not_allowed", `${subject}. ${why} Nothing was ordered.`);
