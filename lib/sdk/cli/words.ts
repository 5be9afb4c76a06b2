import { priceText } from "../client/spending/purchase.ts";
import { ZERO_ADDRESS } from "../protocol/address.ts";

const MILLIONTHS = /^(USD|EUR|GBP|USDC|EURC)$/i;

export const count = (n: number | bigint | string, one: string) =>
  `${n} ${one}${String(n) === "1" ? "" : "s"}`;

export const text = (value: string | number | string[] | undefined) =>
  value === undefined ? undefined : String(value);

/** Currencies and stablecoins have six decimals, the chain's own coin 18; of other tokens these are not known. */
export function moneyOf(amount: string, currency: string) {
  if (/^\d{1,78}$/.test(amount)) {
    if (MILLIONTHS.test(currency)) return priceText(BigInt(amount), currency);
    if (currency === ZERO_ADDRESS) return `${etherText(amount.padStart(19, "0"))} ETH`;
  }
  return `${amount} of the smallest unit of ${currency}`;
}

const etherText = (digits: string) =>
  `${digits.slice(0, -18)}.${digits.slice(-18).replace(/0{1,16}$/, "")}`;
