import type { Address } from "viem";

/** Limits what one account's burns may cost the one who pays the gas, so that nobody drains it with tiny calls. */
export type GasBudget = {
  /** Books gas for an account; false when its budget for now is used up. */
  spend: (account: Address, gas: bigint) => boolean;
  /** When budgets are renewed, in milliseconds since the epoch. */
  renewsAt: () => number;
};

/** Makes a {@link GasBudget} of `gasPerWindow` per account and window of `windowMs`. */
export function createGasBudget(options: {
  gasPerWindow: bigint;
  windowMs: number;
  now?: () => number;
}): GasBudget {
  const { gasPerWindow, windowMs, now = Date.now } = options;
  let windowStart = now();
  let spent = new Map<Address, bigint>();
  return {
    spend: (account, gas) => {
      if (now() - windowStart >= windowMs) {
        windowStart = now();
        spent = new Map();
      }
      const sum = (spent.get(account) ?? 0n) + gas;
      if (sum > gasPerWindow) return false;
      spent.set(account, sum);
      return true;
    },
    renewsAt: () => windowStart + windowMs,
  };
}
