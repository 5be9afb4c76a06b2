import { MAX_UINT256, type Money, totalOf } from "@turnpike/payments/protocol";
import { decimalsOf } from "@/lib/console/currency-decimals.ts";
import { minorDigits, toMinorUnits } from "@/lib/console/minor-units.ts";
import type { Quote, RailPrice } from "../rails/rail.ts";

/** The smaller of two amounts. */
export const least = (a: bigint, b: bigint): bigint => (a > b ? b : a);

/** Of a sum, which nothing bounds, at most what clients read as an amount. */
export const readableSum = (sum: bigint): bigint => least(sum, MAX_UINT256);

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

/**
 * An amount in a price's smallest unit, written out exactly where its decimals are known.
 */
export function moneyOf(currency: string, amount: bigint): Money {
  const decimals = decimalsOf(currency);
  if (decimals === undefined) return { currency, amount: amount.toString() };
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0");
  const value = `${amount < 0n ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return { currency, amount: amount.toString(), decimals, value };
}

/** An amount for people, with the decimals that the currency has: `3.00 USD`, `150 JPY`, `1.2345 USDC`. */
export function amountText(currency: string, amount: bigint): string {
  const { value = amount.toString() } = moneyOf(currency, amount);
  const kept = minorDigits(currency) === 0 ? /\.?0+$/ : /(?<=\.\d\d\d*?)0+$/;
  return `${value.includes(".") ? value.replace(kept, "") : value} ${currency.toUpperCase()}`;
}
