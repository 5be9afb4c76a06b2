import { type Money, totalOf, ZERO_ADDRESS } from "@turnpike/payments/protocol";
import type { Quote, RailPrice } from "../rails/rail.ts";

/** Currencies whose minor unit is not a hundredth (ISO 4217). */
const WHOLE = "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF".split(" ");
const THOUSANDTHS = "BHD JOD KWD OMR TND".split(" ");

/** Fiat and stablecoin prices are written in millionths of the currency's unit. */
const PRICE_DIGITS = 6;

/** How many minor units make one unit of the currency, as a power of ten. */
export function minorDigits(currency: string): number {
  const code = currency.toUpperCase();
  return WHOLE.includes(code) ? 0 : THOUSANDTHS.includes(code) ? 3 : 2;
}

/** An amount of millionths in minor units, rounded up so that no limit is passed by rounding. */
export function toMinorUnits(millionths: bigint, currency: string): bigint {
  const divisor = 10n ** BigInt(PRICE_DIGITS - minorDigits(currency));
  return (millionths + divisor - 1n) / divisor;
}

/** An amount of minor units in millionths of the currency's unit. */
export const fromMinorUnits = (minor: bigint, currency: string): bigint =>
  minor * 10n ** BigInt(PRICE_DIGITS - minorDigits(currency));

/** The smaller of two amounts. */
export const least = (a: bigint, b: bigint): bigint => (a > b ? b : a);

const AT_PAR: Record<string, string> = { usdc: "usd", eurc: "eur" };

/** The currency a delegation's limit counts in: stablecoins count at par in their currency's cents. */
export const parCurrency = (currency: string): string => AT_PAR[currency] ?? currency;

/** The quote of a price in a currency, or in a token without a par value. */
export function toQuote(price: RailPrice, currency: string | null): Quote {
  const total = totalOf(price);
  return {
    currency,
    unit: currency ?? price.tokenAddress,
    total,
    cents: currency === null ? 0n : toMinorUnits(total, currency),
  };
}

const NATIVE_DIGITS = 18;

/**
 * An amount in a price's smallest unit, written out exactly. `currency` is a currency's code, whose prices
 * have six decimals, or a token's address: the zero address is the chain's own coin, of others we do not know.
 */
export function moneyOf(currency: string, amount: bigint): Money {
  const isToken = currency.startsWith("0x");
  if (isToken && currency !== ZERO_ADDRESS) return { currency, amount: amount.toString() };
  const decimals = isToken ? NATIVE_DIGITS : PRICE_DIGITS;
  const digits = amount.toString().padStart(decimals + 1, "0");
  const value = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return { currency, amount: amount.toString(), decimals, value };
}
