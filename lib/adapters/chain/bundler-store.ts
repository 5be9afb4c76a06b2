import type { Address, Hex } from "viem";
import type { SignedGrant } from "./grant.ts";
import type { SmartAccount } from "./smart-account.ts";

/** One settlement that has to be mirrored on chain: `count` calls for `amount` credits of a plan. */
export type BurnOperation = {
  settlementId: string;
  planId: bigint;
  /** Who holds the credits. */
  holder: Address;
  /** Who gave the grant: the holder, or the plan's owner for plans that owners redeem. */
  account: SmartAccount;
  grant: SignedGrant;
  amount: bigint;
  count: bigint;
  /** How often it was put off before. */
  attempts: number;
};

/** A settlement's place in a burn: its leaf is `(settlementId, amount)`. */
export type SettlementProof = { settlementId: string; amount: bigint; proof: Hex[] };

/** One user operation of a bundle, which burns for a group of settlements. */
export type BundledBurn = {
  userOperationHash: Hex;
  sessionKey: Address;
  nonceKey: bigint;
  holder: Address;
  planId: bigint;
  amount: bigint;
  count: bigint;
  root: Hex;
  settlements: SettlementProof[];
};

/** One transaction and its replacements; they share a nonce, so at most one of them is ever included. */
export type Bundle = {
  id: string;
  lane: string;
  burns: BundledBurn[];
  transactions: { hash: Hex; raw: Hex; nonce: number }[];
};

/** What is known about a settlement on chain. */
export type SettlementUpdate = {
  settlementId: string;
  /** `pending` means: put off, it comes back by itself at `retryAt`. */
  status: "pending" | "submitted" | "included" | "final" | "failed";
  /** `""` while there is none. */
  transaction: Hex | "";
  root?: Hex;
  proof?: Hex[];
  reason?: string;
  /** Milliseconds since the epoch; only with `pending`. */
  retryAt?: number;
};

/**
 * What the bundler needs kept. Each method is one transaction and durable when it returns; the rows come from the
 * ledger's outbox. A settlement is in at most one open bundle.
 */
export type BundlerStore = {
  /**
   * Takes or renews the right to send for a lane. False when another owner has it; it lapses after `ttlMs`. Exactly one
   * owner holds it at a time, judged by the store's clock.
   */
  takeLease: (lease: { lane: string; owner: string; ttlMs: number }) => Promise<boolean>;
  releaseLease: (lease: { lane: string; owner: string }) => Promise<void>;
  /** Settlements that are in no bundle and due, oldest first. */
  listPending: (query: { lane: string; now: number; limit: number }) => Promise<BurnOperation[]>;
  /**
   * Writes a bundle before it is sent, or adds a replacement to it, and marks its settlements `submitted` with the
   * latest transaction, root and proof. Throws when `owner` no longer holds the lane's lease.
   */
  saveBundle: (save: { bundle: Bundle; owner: string }) => Promise<void>;
  /** Bundles whose outcome is not known, oldest first. */
  listOpenBundles: (query: { lane: string }) => Promise<Bundle[]>;
  /** Closes a bundle and writes what became of its settlements; `included` ones are watched until they are final. */
  closeBundle: (close: {
    bundleId: string;
    block: bigint;
    updates: SettlementUpdate[];
  }) => Promise<void>;
  /** Writes what became of settlements that never entered a bundle. `pending` counts one attempt. */
  updateSettlements: (updates: SettlementUpdate[]) => Promise<void>;
  /** Closed bundles with included settlements that are not final, oldest first. */
  listUnfinalBundles: (query: {
    lane: string;
    limit: number;
  }) => Promise<(Bundle & { block: bigint })[]>;
  /** All included settlements of a bundle are final. */
  finalizeBundle: (bundleId: string) => Promise<void>;
  /** The chain took a block back: the bundle is open again and its settlements are `submitted`. */
  reopenBundle: (bundleId: string) => Promise<void>;
  findUpdate: (settlementId: string) => Promise<SettlementUpdate | undefined>;
};
