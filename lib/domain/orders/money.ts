import { type Money, totalOf, ZERO_ADDRESS } from "@turnpike/payments/protocol";
import type { Quote, RailPrice } from "../rails/rail.ts";

/** How many decimals a currency's minor unit has, where it is not two (ISO 4217). */
const MINOR_DIGITS: Record<string, number> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  MGA: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  JOD: 3,
  KWD: 3,
  OMR: 3,
  TND: 3,
};

/** Fiat and stablecoin prices are written in millionths of the currency's unit. */
const PRICE_DIGITS = 6;

/** How many minor units make one unit of the currency, as a power of ten. */
export const minorDigits = (currency: string): number => MINOR_DIGITS[currency.toUpperCase()] ?? 2;

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
