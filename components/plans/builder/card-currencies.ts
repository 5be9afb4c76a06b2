import { MONEY_DECIMALS } from "@/lib/console/currency-decimals.ts";

/** Currencies for card prices, with the decimals of their minor unit (ISO 4217). */
export const CARD_CURRENCIES: Record<string, number> = {
  USD: 2,
  EUR: 2,
  GBP: 2,
  CHF: 2,
  CAD: 2,
  AUD: 2,
  JPY: 0,
};

/** The minimum card charge, in millionths; half a unit by default. */
const LEAST: Record<string, bigint> = { GBP: 300_000n, JPY: 50_000_000n };
export const leastCardPrice = (currency: string): bigint => LEAST[currency] ?? 500_000n;

/** The maximum card charge, in millionths: eight digits of minor units. */
export const mostCardPrice = (currency: string): bigint =>
  99_999_999n * 10n ** BigInt(MONEY_DECIMALS - (CARD_CURRENCIES[currency] ?? 2));
