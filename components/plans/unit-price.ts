/** The price of one call, in the smallest unit of the plan's price. */
export type CallCost = { amount: bigint; isExact: boolean };

/** The share of `total` that `credits` of `granted` credits cost, rounded to the nearest smallest unit. */
export function callCost(total: bigint, credits: bigint, granted: bigint): CallCost {
  const product = total * credits;
  const isExact = product % granted === 0n;
  return { amount: (2n * product + granted) / (2n * granted), isExact };
}

/** How many calls of this size an order covers. */
export const callsWithin = (granted: bigint, credits: bigint): bigint => granted / credits;

/** A position on a drawn scale. For drawing only, where rounding is smaller than a pixel. */
export const toScale = (amount: bigint, decimals: number): number =>
  Number(amount) / 10 ** decimals;
