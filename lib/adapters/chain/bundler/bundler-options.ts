import type { Address } from "viem";
import type { SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { SessionKey } from "../grants/session-key.ts";
import type { Operator } from "../operator.ts";
import type { BundlerStore } from "./bundler-store.ts";
import type { GasBudget } from "./gas-budget.ts";

/** What can be left out. */
type Tuning = {
  /** Called with every change, after the store has it. */
  onUpdate: (updates: SettlementUpdate[]) => void;
  /** Called with failures the bundler recovers from: an unresponsive chain, a lost lease. */
  onTrouble: (error: unknown) => void;
  /** False sends one operation per settlement. */
  isGrouped: boolean;
  maxSettlements: number;
  maxOperations: number;
  leaseMs: number;
  safeDepth: bigint;
  /** Block of the deployment, where the search for operations of an unknown transaction starts. */
  sinceBlock: bigint;
  now: () => number;
};

export const DEFAULTS: Tuning = {
  onUpdate: () => {},
  onTrouble: () => {},
  isGrouped: true,
  maxSettlements: 5_000,
  maxOperations: 70,
  leaseMs: 15_000,
  safeDepth: 12n,
  sinceBlock: 0n,
  now: Date.now,
};

/** What a bundler works with. */
export type BundlerOptions = Operator & {
  store: BundlerStore;
  loadSessionKey: (address: Address) => Promise<SessionKey>;
  /** One lane per settler key. */
  lane: string;
  /** Identifies this replica among those that share the store. */
  owner: string;
  gasBudget?: GasBudget;
} & Partial<Tuning>;

/** Its options with the defaults in place; `announce` calls `onUpdate` unless there is nothing to announce. */
export type BundlerSettings = BundlerOptions &
  Tuning & { announce: (updates: SettlementUpdate[]) => void };
