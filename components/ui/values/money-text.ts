import { minorDigits } from "@/lib/console/minor-units.ts";
import { groupThousands } from "@/lib/text/plural.ts";

/** Money as text: exact, from the smallest unit, without floating-point numbers. */

const CENTS_DIGITS = 2;
/** The minus sign of what people read; files for programs keep the hyphen. */
export const MINUS = "−";

export type Amount = bigint | string;

/** `1234567` → `1,234,567`. */
export function groupDigits(value: Amount | number): string {
  const [, sign = "", digits = ""] = /^(-?)(\d+)$/.exec(String(value)) ?? [];
  if (!digits) throw new TypeError(`${JSON.stringify(String(value))} is not a whole number.`);
  return (sign && MINUS) + groupThousands(digits);
}

/**
 * Smallest units as a decimal number: `25000000` with 6 decimals is `25.00`. Has at least two decimals where
 * the currency has them, and no further trailing zeros: `1,500 JPY`.
 */
export function amountText(amount: Amount, decimals: number, currency?: string): string {
  const value = BigInt(amount);
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const least = Math.min(CENTS_DIGITS, decimals, ...(currency ? [minorDigits(currency)] : []));
  const fraction = decimals === 0 ? "" : digits.slice(-decimals);
  const shown = fraction.slice(0, least) + fraction.slice(least).replace(/0+$/, "");
  return (value < 0n ? MINUS : "") + groupDigits(whole) + (shown && `.${shown}`);
}

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
