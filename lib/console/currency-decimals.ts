/** Prices in a currency or in its stablecoin are written in millionths of the unit, whatever its minor unit. */
export const MONEY_DECIMALS = 6;

/** The chain's own coin. In amounts of money it is the zero address. */
export const NATIVE = { code: "ETH", decimals: 18 } as const;

export const isNative = (currency: string): boolean => /^0x0{40}$/.test(currency);

/**
 * The decimals of an amount's smallest unit. `currency` is a currency's code or a token's address; a price in a
 * token that is no stablecoin keeps its address, and its decimals are unknown.
 */
export function decimalsOf(currency: string): number | undefined {
  if (isNative(currency)) return NATIVE.decimals;
  return currency.startsWith("0x") ? undefined : MONEY_DECIMALS;
}
