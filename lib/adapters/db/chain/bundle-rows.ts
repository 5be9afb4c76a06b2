import type { Bundle, BundledBurn } from "@/lib/domain/chain-ports.ts";
import type { StoredBurn } from "../schema.ts";

/** A row of `chain_bundles`, as the driver hands it over. */
export type BundleRow = {
  bundle_id: string;
  lane: string;
  block: number | null;
  burns: StoredBurn[];
  transactions: { hash: string; raw: string; nonce: number }[];
};

export const burnToRow = (burn: BundledBurn): StoredBurn => ({
  ...burn,
  nonceKey: burn.nonceKey.toString(),
  planId: burn.planId.toString(),
  amount: burn.amount.toString(),
  count: burn.count.toString(),
  settlements: burn.settlements.map((settlement) => ({
    ...settlement,
    amount: settlement.amount.toString(),
  })),
});

export const bundleFromRow = (row: BundleRow): Bundle => ({
  id: row.bundle_id,
  lane: row.lane,
  burns: row.burns.map(burnFromRow),
  transactions: row.transactions as Bundle["transactions"],
});

const burnFromRow = (row: StoredBurn): BundledBurn =>
  ({
    ...row,
    nonceKey: BigInt(row.nonceKey),
    planId: BigInt(row.planId),
    amount: BigInt(row.amount),
    count: BigInt(row.count),
    settlements: row.settlements.map((settlement) => ({
      ...settlement,
      amount: BigInt(settlement.amount),
    })),
  }) as BundledBurn;
