import { groupThousands } from "./plural.ts";

const CENTS_DIGITS = 2;
/** The minus sign of what people read; files for programs keep the hyphen. */
export const MINUS = "−";

/**
 * Smallest units as a decimal number: `25000000` with 6 decimals is `25.00`. Has at least two decimals where
 * the currency has them, and no further trailing zeros: `1,500` of yen, which have no minor unit.
 */
export function amountText(
  amount: bigint | string,
  decimals: number,
  minorDigits = CENTS_DIGITS,
): string {
  const value = BigInt(amount);
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const least = Math.min(CENTS_DIGITS, decimals, minorDigits);
  const fraction = decimals === 0 ? "" : digits.slice(-decimals);
  const shown = fraction.slice(0, least) + fraction.slice(least).replace(/0+$/, "");
  return (value < 0n ? MINUS : "") + groupThousands(whole) + (shown && `.${shown}`);
}
