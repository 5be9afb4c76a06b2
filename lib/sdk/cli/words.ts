import { priceText } from "../client/spending/purchase.ts";

const MILLIONTHS = /^(USD|EUR|GBP|USDC|EURC)$/i;

export const count = (n: number | bigint | string, one: string) =>
  `${n} ${one}${String(n) === "1" ? "" : "s"}`;

export const text = (value: string | number | string[] | undefined) =>
  value === undefined ? undefined : String(value);

/** Currencies and stablecoins have six decimals; of other tokens these are not known. */
export const moneyOf = (amount: string, currency: string) =>
  MILLIONTHS.test(currency) && /^\d{1,78}$/.test(amount)
    ? priceText(BigInt(amount), currency)
    : `${amount} of the smallest unit of ${currency}`;
