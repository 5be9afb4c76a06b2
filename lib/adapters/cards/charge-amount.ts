import { minorDigits, toMinorUnits } from "@/lib/domain/money.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";

/** What the processor is asked for, in the unit it counts the currency in; or why it cannot be. */
export type ChargeAmount = { amount: number } | { objection: string };

/** Without decimals of their own, but counted in hundredths by Stripe. */
const COUNTED_IN_HUNDREDTHS = new Set(["ugx"]);
/** The largest amount Stripe takes: eight digits. */
const LARGEST = 99_999_999n;

/** An order's price as an amount for the processor: three-decimal currencies end in 0, as banks want it. */
export function chargeAmountOf({ price, currency }: OrderRecord): ChargeAmount {
  const code = currency.toLowerCase();
  const minor = toMinorUnits(price, code);
  const amount = COUNTED_IN_HUNDREDTHS.has(code) ? minor * 100n : minor;
  const step = minorDigits(code) === 3 ? 10n : code === "isk" ? 100n : 1n;
  if (amount % step !== 0n) {
    return {
      objection: `Cards take amounts in ${code.toUpperCase()} only in steps of ${step} minor units; got ${amount}.`,
    };
  }
  if (amount < 1n || amount > LARGEST) {
    return { objection: `Cards take 1 to ${LARGEST} minor units at once; got ${amount}.` };
  }
  // Eight digits at most, so nothing is lost; the SDK wants a number.
  return { amount: Number(amount) };
}
