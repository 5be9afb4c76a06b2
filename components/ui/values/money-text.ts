import { minorDigits } from "@/lib/console/minor-units.ts";
import { MINUS, amountText as textOf } from "@/lib/text/amount-text.ts";
import { groupThousands } from "@/lib/text/plural.ts";

/** Money as text: exact, from the smallest unit, without floating-point numbers. */

export type Amount = bigint | string;

/** `1234567` → `1,234,567`. */
export function groupDigits(value: Amount | number): string {
  const [, sign = "", digits = ""] = /^(-?)(\d+)$/.exec(String(value)) ?? [];
  if (!digits) throw new TypeError(`${JSON.stringify(String(value))} is not a whole number.`);
  return (sign && MINUS) + groupThousands(digits);
}

/** Smallest units as a decimal number, with the decimals of its currency: `25.00`, `1,500` of yen. */
export const amountText = (amount: Amount, decimals: number, currency?: string): string =>
  textOf(amount, decimals, currency ? minorDigits(currency) : undefined);

/** The same as people type it, without thousands separators: the first value of a field. */
export const typedAmount = (amount: Amount, decimals: number): string =>
  amountText(amount, decimals).replaceAll(",", "");

/** The amount with its currency's code: `25.00 USD`, `1,500 JPY`. */
export function moneyText(amount: Amount, decimals: number, currency: string): string {
  // Card amounts have lower-case currency codes.
  const code = /^[a-z]{3,5}$/.test(currency) ? currency.toUpperCase() : currency;
  return `${amountText(amount, decimals, currency)} ${code}`;
}

/** An amount in the currency's minor unit, as limits count: `5000` is `50.00 USD`, or `5,000 JPY`. */
export const minorText = (amount: Amount, currency: string): string =>
  moneyText(amount, minorDigits(currency), currency);
