import type { OrderRecord } from "@/lib/domain/records.ts";
import { cardAmountOf } from "./card-price.ts";

/** What the processor is asked for, in the unit it counts the currency in; or why it cannot be. */
export type ChargeAmount = { amount: number } | { objection: string };

/** Without decimals of their own, but counted in hundredths by Stripe. */
const COUNTED_IN_HUNDREDTHS = new Set(["ugx"]);

/** An order's price as an amount for the processor. */
export function chargeAmountOf({ price, currency }: OrderRecord): ChargeAmount {
  const amount = cardAmountOf(price, currency);
  if ("objection" in amount) return amount;
  const isInHundredths = COUNTED_IN_HUNDREDTHS.has(currency.toLowerCase());
  // Ten digits at most, so nothing is lost; the SDK wants a number.
  return { amount: Number(isInHundredths ? amount.minor * 100n : amount.minor) };
}
