import type { Address } from "viem";

/** Limits the gas one account's burns may cost the settler, so that tiny calls cannot drain it. */
export type GasBudget = ReturnType<typeof createGasBudget>;

/** Makes a {@link GasBudget} of `gasPerWindow` per account and window of `windowMs`, by a steady clock. */
export function createGasBudget(options: {
  gasPerWindow: bigint;
  windowMs: number;
  now?: () => number;
}) {
  const { gasPerWindow, windowMs, now = () => performance.now() } = options;
  let windowStart = now();
  let spent = new Map<Address, bigint>();
  return {
    /** Spends gas for an account; false when its budget is used up. */
    spend: (account: Address, gas: bigint): boolean => {
      if (now() - windowStart >= windowMs) {
        windowStart = now();
        spent = new Map();
      }
      const sum = (spent.get(account) ?? 0n) + gas;
      if (sum > gasPerWindow) return false;
      spent.set(account, sum);
      return true;
    },
    /** In how many milliseconds budgets renew. */
    renewsInMs: () => windowStart + windowMs - now(),
  };
}
