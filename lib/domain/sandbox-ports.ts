/** Gives away test money. */
export interface Faucet {
  /** Tops the account up, to `usdcAtLeast` where that is more than the usual amount; answers what it then holds. */
  fund(
    account: string,
    wanted: { usdc: boolean; native: boolean; usdcAtLeast?: bigint | undefined },
  ): Promise<{ account: string; usdc: string; native: string }>;
}

/** How a call fails. `reply-lost` fails after its effect, the others before. */
export type CallFault = { kind: "down" } | { kind: "slow"; ms: number } | { kind: "reply-lost" };

/** Makes calls of operations fail, for everyone in the sandbox. */
export interface CallFaults {
  /** Takes the fault that applies to this call, if one is armed. */
  take(operation: string, input: unknown): CallFault | null;
}
