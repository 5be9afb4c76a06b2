import { fromMinorUnits, toMinorUnits } from "@/lib/console/minor-units.ts";
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
  return { amount: countedOf(price, currency) };
}

/** An amount of a price as the processor counts it: ten digits at most, so nothing is lost; the SDK wants a number. */
export const countedOf = (amount: bigint, currency: string): number =>
  Number(toMinorUnits(amount, currency) * hundredthsOf(currency));

/** What the processor counted, in the price's unit. */
export const priceOf = (counted: number, currency: string): bigint =>
  fromMinorUnits(BigInt(counted) / hundredthsOf(currency), currency);

const hundredthsOf = (currency: string): bigint =>
  COUNTED_IN_HUNDREDTHS.has(currency.toLowerCase()) ? 100n : 1n;
