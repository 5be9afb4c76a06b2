import type { Address } from "viem";
import type { MirrorLedger } from "@/lib/domain/chain-ports.ts";
import type { SignedGrant } from "../grants/grant.ts";
import type { SmartAccount } from "../smart-account.ts";

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

/** What the bundler needs kept: the ledger's side of it, with waiting settlements as operations on chain. */
export type BundlerStore = Omit<MirrorLedger, "listWaiting" | "listUnreadable"> & {
  /** Due settlements that are in no bundle, oldest first. */
  listPending: (query: { lane: string; now: number; limit: number }) => Promise<BurnOperation[]>;
};

/** Another replica took over the lane while this one was preparing a bundle. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
  constructor(lane: string) {
    super(`The lease of lane "${lane}" went to another replica.`);
  }
}
