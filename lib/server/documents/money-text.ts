import { decimalsOf, isNative, NATIVE } from "@/lib/console/currency-decimals.ts";
import { moneyOf } from "@/lib/domain/orders/money.ts";

/** An amount in units of its currency, exactly: `-1.250000`. Credits are whole. */
export function decimalOf(amount: string, currency: string): string {
  if (currency === "credits") return amount;
  const isNegative = amount.startsWith("-");
  const { value } = moneyOf(currency, BigInt(isNegative ? amount.slice(1) : amount));
  return `${isNegative ? "-" : ""}${value ?? amount}`;
}

/** The same with its currency's code, for people; a token whose decimals are unknown is named beside it. */
export const moneyText = (amount: string, currency: string): string =>
  `${decimalOf(amount, currency)} ${unitText(currency)}`;

/** Whether amounts of it are counted in smallest units of a token. */
export const isOtherToken = (currency: string): boolean => decimalsOf(currency) === undefined;

function unitText(currency: string): string {
  if (isOtherToken(currency)) return "smallest units";
  if (isNative(currency)) return NATIVE.code;
  return currency === "credits" ? currency : currency.toUpperCase();
}
