import { decimalsOf, isNative, NATIVE } from "@/lib/console/currency-decimals.ts";
import { minorDigits } from "@/lib/console/minor-units.ts";
import { moneyOf } from "@/lib/domain/orders/money.ts";
import { amountText } from "@/lib/text/amount-text.ts";

/** Whether an amount counts what plans grant, in whole numbers, and not money. */
export const isGranted = (currency: string): boolean => ["credits", "passes"].includes(currency);

/** An amount in units of its currency for programs, with all decimals: `-1.250000`. Credits are whole. */
export function decimalOf(amount: string, currency: string): string {
  if (isGranted(currency)) return amount;
  const isNegative = amount.startsWith("-");
  const { value } = moneyOf(currency, BigInt(isNegative ? amount.slice(1) : amount));
  return `${isNegative ? "-" : ""}${value ?? amount}`;
}

/** The same for people, as pages write it: `−1.25`, `1,500` of yen. */
export const shownAmount = (amount: string, currency: string): string =>
  amountText(amount, isGranted(currency) ? 0 : (decimalsOf(currency) ?? 0), minorDigits(currency));

/** The same with its currency's code; a token whose decimals are unknown is named beside it. */
export const moneyText = (amount: string, currency: string): string =>
  `${shownAmount(amount, currency)} ${unitText(currency)}`;

/** Whether amounts of it are counted in smallest units of a token. */
export const isOtherToken = (currency: string): boolean => decimalsOf(currency) === undefined;

function unitText(currency: string): string {
  if (isOtherToken(currency)) return "smallest units";
  if (isNative(currency)) return NATIVE.code;
  return isGranted(currency) ? currency : currency.toUpperCase();
}
