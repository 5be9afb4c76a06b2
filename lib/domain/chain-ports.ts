import type { BudgetsDocument } from "./budgets/budget-records.ts";
import type { PlanRecord } from "./records.ts";

/** Bytes or an address, as 0x and hex digits. */
export type Hex = `0x${string}`;

/** What a plan's version says; fixed once it is sold. */
export type PlanVersion = Pick<
  PlanRecord,
  "planId" | "owner" | "version" | "accessLimit" | "isTrial" | "price" | "credits"
>;

/** A grant as it is kept. Keys are sealed; `signed` is the grant's bytes in hex. */
export type GrantRow = {
  grantId: string;
  account: string;
  kind: "delegation" | "order" | "burn" | "root" | "redeem";
  delegationId: string | null;
  orderToken: string;
  orderLimit: bigint;
  sessionKeyAddress: string;
  sessionKey: string;
  signed: string;
  validUntil: Date;
  createdAt: Date;
  /** Since when budgets other than those it was signed with apply: what it allows is signed anew. */
  replacedAt: Date | null;
  revokedAt: Date | null;
};

/** Budgets of an account, or of the delegation whose id is `scope`. */
export type ScopedBudgets = { scope: string; document: BudgetsDocument };

/** Where signed grants are kept. */
export type GrantStore = {
  find: (grantId: string) => Promise<GrantRow | null>;
  findBySessionKey: (address: string) => Promise<GrantRow | null>;
  /** Oldest first. */
  listOfDelegation: (delegationId: string) => Promise<GrantRow[]>;
  /** An account's newest root grant in use for a token, what its orders take of its limit, and how many there ever were. */
  findRoot: (
    account: string,
    token: string,
  ) => Promise<{ grant: GrantRow | null; committed: bigint; number: number }>;
  /** Writes the grant, or leaves the one that is there; what is there then. */
  insert: (grant: GrantRow) => Promise<GrantRow>;
  /** What orders of a delegation in a token took of its limit, under all of its grants. */
  committed: (delegationId: string, token: string) => Promise<bigint>;
  /** The budgets of an account, and of a delegation of it. */
  budgetsOf: (account: string, delegationId: string | null) => Promise<ScopedBudgets[]>;
  markReplaced: (grantId: string) => Promise<void>;
  /** Replaced grants under which nothing is under way, to be revoked on chain. */
  listReplaced: (limit: number) => Promise<Pick<GrantRow, "grantId" | "account">[]>;
  markRevoked: (grantId: string) => Promise<void>;
  /** Erases the session key of a grant under which nothing was ever sent, and marks it revoked; false for any other. */
  eraseUnused: (grantId: string) => Promise<boolean>;
  /** Erases the session keys of a delegation's grants and marks them revoked: no one can act under them any more. */
  eraseKeys: (delegationId: string) => Promise<void>;
};

/** Revocations that the ledger has made and the chain has not. */
export type RevocationQueue = {
  /** Delegations that are due and let nothing in any more that is not burned yet. */
  listDue: (limit: number) => Promise<{ delegationId: string; account: string; dueAt: Date }[]>;
  /** Unless a grant was written since it was listed: that one is revoked next. */
  markDone: (listed: { delegationId: string; dueAt: Date }) => Promise<void>;
  /** Tried in vain; it comes back later. */
  putOff: (delegationId: string, reason: string) => Promise<void>;
};

/** Which grant pays an order; written before the first attempt and never changed. */
type ChainOrder = {
  orderId: string;
  grantId: string;
  total: bigint;
  sinceBlock: bigint;
  /** What was sent for it has used; null where nothing was. */
  gas: number | null;
};

export type ChainOrders = {
  find: (orderId: string) => Promise<ChainOrder | null>;
  /** Writes an order that the chain proves, as paid in a block; one that is known stays. */
  writePaid: (order: { orderId: string; total: bigint; block: bigint }) => Promise<void>;
  /** Writes it, or leaves what is there; what is there then. */
  bind: (order: Omit<ChainOrder, "gas">) => Promise<ChainOrder>;
  markPaid: (orderId: string, block: bigint) => Promise<void>;
  markRefused: (orderId: string) => Promise<void>;
  /** Refuses an order for which nothing was sent, and has nothing sent for it; false for any other. */
  refuseUnsent: (orderId: string) => Promise<boolean>;
  /** Adds to the gas that what was sent for an order has used. */
  addGas: (orderId: string, more: bigint) => Promise<void>;
  /** Has nothing more sent for an order; how it was bound, or null when it never will be. Throws if a repair wrote it as paid. */
  end: (orderId: string) => Promise<ChainOrder | null>;
  /** Whether an order that was bound may still be sent. */
  isOpen: (orderId: string) => Promise<boolean>;
  /**
   * Gas of an account's orders in the last 24 hours, whatever became of them, and of a plan's that were not refused: of each
   * that is open or was sent `least` or more.
   */
  gasOfDay: (
    of: { account: string; planId: string },
    least: number,
  ) => Promise<{ byAccount: number; ofPlan: number }>;
};

/** A settlement that waits to be mirrored, as the ledger knows it. */
export type LedgerBurn = {
  settlementId: string;
  account: string;
  planId: string;
  delegationId: string;
  amount: bigint;
  /** How often it was put off before. */
  attempts: number;
  /** Who owns the plan and who may redeem it, by the version the account ordered last. */
  planOwner: string;
  redemptionType: number;
  tokenAddress: string;
};

/** A settlement's place in a burn: its leaf is `(settlementId, amount)`. */
export type SettlementProof = { settlementId: string; amount: bigint; proof: Hex[] };

/** One user operation of a bundle, which burns for a group of settlements. */
export type BundledBurn = {
  userOperationHash: Hex;
  sessionKey: Hex;
  nonceKey: bigint;
  holder: Hex;
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
  /** `pending`: put off, and retried at `retryAt`. */
  status: "pending" | "submitted" | "included" | "final" | "failed";
  /** `""` while there is none. */
  transaction: Hex | "";
  root?: Hex;
  proof?: Hex[];
  reason?: string;
  /** Milliseconds since the epoch; only with `pending`. */
  retryAt?: number;
  /** The chain refused it, for now: counts as an attempt. Other waits do not. */
  isRefused?: true;
};

/**
 * What mirroring needs kept. Each method is one transaction and durable when it returns; the rows come from the
 * ledger's outbox. A settlement is in at most one open bundle.
 */
export type MirrorLedger = {
  /** Takes or renews the right to send for a lane until `ttlMs` later, by the store's clock. False: another owner has it. */
  takeLease: (lease: { lane: string; owner: string; ttlMs: number }) => Promise<boolean>;
  releaseLease: (lease: { lane: string; owner: string }) => Promise<void>;
  /** Settlements that are in no bundle and due, oldest first. */
  listWaiting: (query: { limit: number }) => Promise<LedgerBurn[]>;
  /**
   * Writes a bundle before it is sent, or adds a replacement to it, and marks its settlements `submitted` with the
   * latest transaction, root and proof. Throws when `owner` no longer holds the lane's lease.
   */
  saveBundle: (save: { bundle: Bundle; owner: string }) => Promise<void>;
  /** Bundles whose outcome is not known, oldest first. */
  listOpenBundles: (query: { lane: string }) => Promise<Bundle[]>;
  /**
   * Closes a bundle and writes what became of its settlements but those that a later one carries. `included` and `failed` ones are
   * watched until the chain can no longer drop their block.
   */
  closeBundle: (close: {
    bundleId: string;
    block: bigint;
    updates: SettlementUpdate[];
  }) => Promise<void>;
  /** Writes what became of settlements that never entered a bundle. */
  updateSettlements: (updates: SettlementUpdate[]) => Promise<void>;
  /** Closed bundles whose block is not final, oldest first. */
  listUnfinalBundles: (query: {
    lane: string;
    limit: number;
  }) => Promise<(Bundle & { block: bigint })[]>;
  /** All included settlements of a bundle are final. */
  finalizeBundle: (bundleId: string) => Promise<void>;
  /** The chain took a block back: the bundle is open again and its settlements are `submitted`. */
  reopenBundle: (bundleId: string) => Promise<void>;
  /** Why settlements wait for a key that can't be read: one text for each such key. */
  listUnreadable: () => Promise<string[]>;
  /** How far settlements came; those not known are left out. */
  findStates: (settlementIds: string[]) => Promise<MirrorState[]>;
};

/** How a settlement stands, for those who wait for it. */
export type MirrorState = Pick<SettlementUpdate, "settlementId" | "status" | "transaction">;

/** What the ledger says about one account's credits of one plan, as of a block of the chain. All amounts are credits. */
export type LedgerBalance = {
  account: Hex;
  planId: bigint;
  /** What the account has, holds included. */
  balance: bigint;
  /** Mints and burns in it that the chain does not have at that block yet. */
  pendingMints: bigint;
  pendingBurns: bigint;
  /** Refunds that took credits of it and were not refused. Once one is paid, the chain takes its credits back too. */
  refunds?: { refundId: string; credits: bigint; isPaid: boolean }[];
};

/** All that was ever minted to an account on a plan, burned, taken back and expired. */
export type LedgerMovements = {
  minted: bigint;
  burned: bigint;
  takenBack: bigint;
  expired: bigint;
};

/** Why credits are taken back on chain; their reference there is derived from it. */
export type TakeBackCause = `settlement:${string}` | `refund:${string}`;

/** A settler whose key the service has sent with, and until when; null for the latest. */
export type Settler = { address: Hex; until: Date | null };

/** What the ledger asked the chain for: the other side of an event. */
export type ChainAsks = {
  /** The current settler and earlier ones. */
  listSettlers: () => Promise<Settler[]>;
  /** A plan's owner and its latest version; null for an id the ledger does not have. */
  findPlan: (planId: string) => Promise<{ owner: string; version: number } | null>;
  /** Whether an order of that version was paid in this transaction, or may yet turn out to have been. */
  findOrder: (order: {
    account: string;
    planId: string;
    version: number;
    transaction: Hex;
  }) => Promise<"paid" | "under-way" | null>;
  /** What credits may be taken back for: settlements whose burn the chain refused for good, and refunds. */
  listTakeBacks: (of: {
    account: string;
    planId: string;
  }) => Promise<{ cause: TakeBackCause; amount: bigint }[]>;
  /**
   * Whether a bundle made exactly this burn by this transaction, or failed to; or is under way and may yet turn out to have
   * made it.
   */
  findBurn: (
    burn: Omit<BundledBurn, "userOperationHash" | "sessionKey" | "nonceKey" | "settlements"> & {
      block: bigint;
      transaction: Hex;
    },
  ) => Promise<"included" | "failed" | "under-way" | null>;
};

/** The ledger's side of the comparison with the chain. */
export type CreditsLedger = {
  /** Bundles whose outcome is not written down yet; of `among`, when given. */
  listOpenBundles: (among?: string[]) => Promise<string[]>;
  /**
   * Balances of paid crypto plans as of `block`, `limit` at a time after a given one. An account whose order is under
   * way is left out, because it is unknown which side has it.
   */
  listBalances: (query: {
    block: bigint;
    after: LedgerBalance | null;
    limit: number;
  }) => Promise<LedgerBalance[]>;
  readMovements: (balance: LedgerBalance) => Promise<LedgerMovements>;
  /** Settlements the chain refused for good, in no block that it may still drop, and that were not made up for there, oldest first. */
  listFailedBurns: (
    balance: Pick<LedgerBalance, "account" | "planId">,
  ) => Promise<{ settlementId: string; amount: bigint }[]>;
  /** The credits of a refused burn were taken back on chain. */
  markMadeUp: (settlementId: string) => Promise<void>;
};
