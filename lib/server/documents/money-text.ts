import { moneyOf } from "@/lib/domain/orders/money.ts";

/** An amount in units of its currency, exactly: `-1.250000`. Credits are whole. */
export function decimalOf(amount: string, currency: string): string {
  if (currency === "credits") return amount;
  const isNegative = amount.startsWith("-");
  const { value } = moneyOf(currency, BigInt(isNegative ? amount.slice(1) : amount));
  return `${isNegative ? "-" : ""}${value ?? amount}`;
}

/** The same with its currency's code, for people. */
export const moneyText = (amount: string, currency: string): string =>
  currency.startsWith("0x")
    ? `${decimalOf(amount, currency)} of ${currency}`
    : `${decimalOf(amount, currency)} ${currency === "credits" ? currency : currency.toUpperCase()}`;
