import { plural } from "@/lib/text/plural.ts";
import { groupDigits } from "./money-text.ts";

/** Amounts that people type. Separate from `money-text.ts`, which every list loads on a first visit. */

/** Many phones have a comma where others have the point. */
const PLAIN_AMOUNT = /^(\d*)(?:[.,](\d*))?$/;
/** A comma that can separate thousands as well as decimals, and a point where no amount has three decimals. */
const isAmbiguous = (typed: string, decimals: number): boolean =>
  (decimals < 3 ? /^[1-9]\d{0,2}[.,]\d{3}$/ : /^[1-9]\d{0,2},\d{3}$/).test(typed);

export type MoneyReading = { isAmount: true; amount: bigint } | { isAmount: false; fault: string };

/** A typed amount in smallest units, or what is wrong with it. */
export function readMoney(text: string, decimals: number): MoneyReading {
  const typed = text.trim();
  if (typed === "") return fault("Enter an amount.");
  if (typed.startsWith("-")) return fault("Enter zero or more.");
  const isUnclear = isAmbiguous(typed, decimals);
  if (isUnclear && decimals > 0) {
    const [plain, point] = [typed.replace(/[.,]/, ""), shortened(typed, decimals)];
    if (point) return fault(`${typed} can mean ${plain} or ${point}. Enter one of them.`);
    return fault(`This currency has ${decimals} decimals. For ${plain}, leave the separator out.`);
  }
  if (isUnclear || /,.*[.,]|\..*,/.test(typed)) {
    return fault(
      decimals === 0
        ? "Enter a whole number without thousands separators, such as 1000."
        : "Use one point or comma, for decimals, and no thousands separators: 1000.50.",
    );
  }
  const [, whole = "", fraction = ""] = PLAIN_AMOUNT.exec(typed) ?? [];
  const kept = fraction.replace(/0+$/, "");
  const isNumber = whole !== "" || fraction !== "";
  // Credits, and currencies without decimals.
  if (decimals === 0 && (!isNumber || kept !== ""))
    return fault("Enter a whole number, such as 25.");
  if (!isNumber) return fault("Use digits and one decimal point: 25.00.");
  if (kept.length > decimals) {
    return fault(`This currency has ${decimals} decimals; ${typed} has ${fraction.length}.`);
  }
  return { isAmount: true, amount: BigInt((whole || "0") + kept.padEnd(decimals, "0")) };
}

/** With the decimals that the currency has, as `1.50` for `1.500`; empty where there are more. */
const shortened = (typed: string, decimals: number): string => {
  const text = typed.replace(",", ".");
  const from = text.indexOf(".") + 1 + decimals;
  return /^0*$/.test(text.slice(from)) ? text.slice(0, from) : "";
};

const fault = (sentence: string): MoneyReading => ({ isAmount: false, fault: sentence });

/** An amount in smallest units: `= 25,000,000 (6 decimals)`. Empty while the amount is invalid. */
export function echoMoney(text: string, decimals: number): string {
  const reading = readMoney(text, decimals);
  if (!reading.isAmount) return "";
  return `= ${groupDigits(reading.amount)} (${plural(decimals, "decimal")})`;
}
