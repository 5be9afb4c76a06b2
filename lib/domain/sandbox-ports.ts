import type { ArmedFault, FaultRequest, Funds } from "@turnpike/payments/protocol";

/** Gives test money away. */
export interface Faucet {
  /** Fills the account up to what the faucet gives, or to `usdcAtLeast` when that is more; what it holds then. */
  fund(
    account: string,
    wanted: { usdc: boolean; native: boolean; usdcAtLeast?: bigint | undefined },
  ): Promise<Funds>;
}

/** What happens to a call that a fault strikes. */
export type Strike = { kind: "down" } | { kind: "slow"; ms: number } | { kind: "reply-lost" };

/** Makes parts of the sandbox fail, for everyone in it. */
export interface FaultLab {
  arm(request: FaultRequest): Promise<ArmedFault>;
  list(): ArmedFault[];
  /** Ends all faults, or one; how many that were. */
  clear(faultId?: string): Promise<number>;
  /** What strikes this call of an operation with this input, if anything does. */
  strike(operation: string, input: unknown): Strike | null;
}
