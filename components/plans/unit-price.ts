/** What one call costs of an order's price, in the price's smallest unit. */
export type CallCost = { amount: bigint; isExact: boolean };

/** The share of `total` that `credits` of `granted` credits are; rounded to the nearest smallest unit. */
export function callCost(total: bigint, credits: bigint, granted: bigint): CallCost {
  const product = total * credits;
  const isExact = product % granted === 0n;
  return { amount: (2n * product + granted) / (2n * granted), isExact };
}

/** How many calls of this size an order holds. */
export const callsWithin = (granted: bigint, credits: bigint): bigint => granted / credits;

/** A place on a drawn scale. For drawing only: a pixel is wider than what rounding loses. */
export const toScale = (amount: bigint, decimals: number): number =>
  Number(amount) / 10 ** decimals;
