import { type Money, totalOf, ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { toMinorUnits } from "@/lib/console/minor-units.ts";
import type { Quote, RailPrice } from "../rails/rail.ts";

/** Fiat and stablecoin prices are written in millionths of the currency's unit. */
const PRICE_DIGITS = 6;

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
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0");
  const value = `${amount < 0n ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return { currency, amount: amount.toString(), decimals, value };
}
