import { decimalsOf, isNative, NATIVE } from "@/lib/console/currency-decimals.ts";
import { type Amount, amountText, groupDigits, moneyText } from "./money-text.ts";
import { shortenIdentifier } from "./shorten-identifier.ts";

/** Amounts whose currency is a code or a token's address: `usd`, `usdc`, `0x0000…0000`. */

/** `decimals` as the service sent them; left out, the currency tells them. */
export type MoneyLike = { currency: string; amount: string; decimals?: number | undefined };

/** The display code of a currency. */
export function currencyCode(currency: string): string {
  if (isNative(currency)) return NATIVE.code;
  return currency.startsWith("0x") ? shortenIdentifier(currency) : currency.toUpperCase();
}

/** The unit amounts of a currency are typed in: its code, or a token's smallest unit. */
export const currencyUnit = (currency: string): string =>
  decimalsOf(currency) === undefined ? "smallest units" : currencyCode(currency);

/** The decimals of what is typed: smallest units where those of a token are unknown. */
export const typedDecimals = (currency: string): number => decimalsOf(currency) ?? 0;

/** An exact amount with its currency, in smallest units where the decimals of a token are unknown. */
export function exactMoney({
  currency,
  amount,
  decimals = decimalsOf(currency),
}: MoneyLike): string {
  if (decimals === undefined) {
    return `${groupDigits(amount)} smallest units of ${shortenIdentifier(currency)}`;
  }
  return moneyText(amount, decimals, currencyCode(currency));
}

export const exactAmount = (amount: Amount, currency: string): string =>
  amountText(amount, typedDecimals(currency), currencyCode(currency));

/** The same of an amount and a currency that are apart. */
export const currencyMoney = (amount: string, currency: string): string =>
  exactMoney({ amount, currency });

/** Sums of several currencies, a line for each; those of zero are left out. Without any it is a count: "0". */
export function moneyLines(sums: readonly MoneyLike[]): string[] {
  const some = sums.filter(({ amount }) => amount !== "0");
  const lines = (some.length > 0 ? some : sums.slice(0, 1)).map(exactMoney);
  return lines.length > 0 ? lines : ["0"];
}
