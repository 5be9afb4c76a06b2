import { MONEY_DECIMALS } from "./currency-decimals.ts";

/** Currencies whose minor unit is not a hundredth (ISO 4217). */
const WHOLE = "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF".split(" ");
const THOUSANDTHS = "BHD JOD KWD OMR TND".split(" ");

/** How many minor units make one unit of the currency, as a power of ten. */
export function minorDigits(currency: string): number {
  const code = currency.toUpperCase();
  return WHOLE.includes(code) ? 0 : THOUSANDTHS.includes(code) ? 3 : 2;
}

/** An amount of millionths in minor units, rounded up so that no limit is passed by rounding. */
export function toMinorUnits(millionths: bigint, currency: string): bigint {
  const divisor = 10n ** BigInt(MONEY_DECIMALS - minorDigits(currency));
  return (millionths + divisor - 1n) / divisor;
}

/** An amount of minor units in millionths of the currency's unit. */
export const fromMinorUnits = (minor: bigint, currency: string): bigint =>
  minor * 10n ** BigInt(MONEY_DECIMALS - minorDigits(currency));

/** What every amount on a card is a multiple of, in minor units. */
export const stepOf = (code: string): bigint =>
  minorDigits(code) === 3 ? 10n : code === "isk" ? 100n : 1n;

/** Paid out in whole units only, though cards are charged hundredths of them. */
const WHOLE_IN_PAYOUTS = new Set(["huf", "twd"]);

/** What every payout to a bank is a multiple of, in millionths, and what it is made of: shares of prices, fees and refunds. */
export function payoutStepOf(currency: string): bigint {
  const code = currency.toLowerCase();
  return fromMinorUnits(WHOLE_IN_PAYOUTS.has(code) ? 100n : stepOf(code), code);
}
