import type { Bundle, BundledBurn } from "@/lib/domain/chain-ports.ts";
import type { StoredBurn } from "../schema.ts";

/** A row of `chain_bundles`, as the driver hands it over. */
export type BundleRow = Omit<Bundle, "burns"> & { burns: StoredBurn[] };

export const bundleFromRow = (row: BundleRow): Bundle => ({
  ...row,
  burns: row.burns.map(burnFromRow),
});

const burnFromRow = (row: StoredBurn): BundledBurn => ({
  ...row,
  nonceKey: BigInt(row.nonceKey),
  planId: BigInt(row.planId),
  amount: BigInt(row.amount),
  count: BigInt(row.count),
  settlements: row.settlements.map((settlement) => ({
    ...settlement,
    amount: BigInt(settlement.amount),
  })),
});
