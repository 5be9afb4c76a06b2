import type { PermissionFacts } from "../permission-facts.ts";

type Price = NonNullable<PermissionFacts["plan"]>["newest"]["price"];

/** The one stablecoin of the deployment that questions are about: six decimals, at par with the dollar. */
export const STABLE_TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
/** The deployment's chain. */
export const CHAIN = "eip155:84532";

/** What one order costs, worked out from the documents alone. */
export type PriceFigures = {
  total: bigint;
  /** Null for tokens without a par value. */
  currency: string | null;
  unit: string;
  minorUnits: bigint;
};

/** Millionths of a currency's unit in one minor unit: cents, but yen have none and dinars have thousandths. */
const MILLIONTHS_IN_ONE: Record<string, bigint> = { jpy: 1_000_000n, kwd: 1_000n };

/**
 * Fiat amounts are millionths of the currency's unit and stablecoins count at par (section 8); the part of a minor unit
 * counts as a whole one, so that rounding passes no limit.
 */
export function priceFigures({ amounts, isCrypto, tokenAddress, currency }: Price): PriceFigures {
  let total = 0n;
  for (const amount of amounts) total += amount;
  const named = isCrypto
    ? tokenAddress.toLowerCase() === STABLE_TOKEN.toLowerCase() && "usd"
    : (currency ?? "usd").toLowerCase();
  if (!named) return { total, currency: null, unit: tokenAddress, minorUnits: 0n };
  const one = MILLIONTHS_IN_ONE[named] ?? 10_000n;
  const whole = total / one;
  return {
    total,
    currency: named,
    unit: named,
    minorUnits: whole * one === total ? whole : whole + 1n,
  };
}
