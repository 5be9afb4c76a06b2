import type { ArmedFault, FaultRequest, Funds } from "@turnpike/payments/protocol";

/** Gives test money away. */
export interface Faucet {
  /** Fills the account up to what the faucet gives, or to `usdcAtLeast` when that is more; what it holds then. */
  fund(
    account: string,
    wanted: { usdc: boolean; native: boolean; usdcAtLeast?: bigint | undefined },
  ): Promise<Funds>;
}

/** What a fault does to a call. */
export type CallFault = { kind: "down" } | { kind: "slow"; ms: number } | { kind: "reply-lost" };

/** Makes parts of the sandbox fail, for everyone in it. */
export interface FaultLab {
  arm(request: FaultRequest): Promise<ArmedFault>;
  list(): ArmedFault[];
  /** Ends all faults, or one; how many that were. */
  clear(faultId?: string): Promise<number>;
  /** The fault this call of an operation meets, if any; it counts as used. */
  take(operation: string, input: unknown): CallFault | null;
}
