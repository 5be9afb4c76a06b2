import type { Hex } from "./chain-ports.ts";

/** What an event of the contracts did. */
export type FindingKind =
  | "mint"
  | "take_back"
  | "order"
  | "burn"
  | "forgotten_order"
  | "forgotten_burn"
  | "plan"
  | "version"
  | "role"
  | "pause"
  | "cap";

/**
 * An event of the contracts that the ledger did not ask for. `open`: only a key of the service or of its administrators
 * could cause it, so sales stop until a person has explained it. `noted`: a holder or a plan's owner acted on chain
 * with their own account, which is their right and costs them alone.
 */
export type ChainFinding = {
  /** The transaction and the event's place in its block. */
  findingId: string;
  block: bigint;
  transaction: Hex;
  kind: FindingKind;
  state: "open" | "noted" | "explained";
  /** What happened, for a person. */
  detail: string;
  account: string | null;
  planId: string | null;
  /** What it added to the account's credits on chain; below zero for a burn or take-back. */
  credits: bigint;
};

/** Where findings are kept, for one deployment of the contracts. */
export type ChainFindings = {
  /** The block up to which events were judged; null before the first. */
  readCursor: () => Promise<bigint | null>;
  /** Writes what is new and moves the cursor, never back; returns the findings that were new. */
  save: (findings: ChainFinding[], cursor: bigint) => Promise<ChainFinding[]>;
  /** Those whose events are in these blocks, both included, and were not dropped. */
  listIn: (range: { fromBlock: bigint; toBlock: bigint }) => Promise<ChainFinding[]>;
  /**
   * The chain no longer has the events of these: they count no more in the comparison of balances. Noted ones are explained by it,
   * open ones still wait for a person. Saving one again takes that back.
   */
  drop: (findingIds: string[]) => Promise<void>;
  countOpen: () => Promise<number>;
  /** Open ones, oldest first. */
  listOpen: () => Promise<ChainFinding[]>;
  /** A person explained an open finding: it no longer stops sales. How many that were. */
  explain: (findingId: string, note: string) => Promise<number>;
  /** The ledger has written what a finding was about, so it no longer counts in the comparison of balances. */
  close: (findingId: string, note: string) => Promise<void>;
  /** What noted and explained findings up to a block did to each balance, in the order of the balances. */
  sumExplained: (
    balances: readonly { account: Hex; planId: bigint }[],
    block: bigint,
  ) => Promise<bigint[]>;
};
