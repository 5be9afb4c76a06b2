import type { Bundle, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { BundlerStore, BurnOperation } from "../bundler/bundler-store.ts";

type Row = {
  operation: BurnOperation;
  update: SettlementUpdate;
  retryAt: number;
  /** The latest bundle that carries it. */
  bundleId?: string;
};
type BundleRow = { bundle: Bundle; state: "open" | "closed" | "final"; block: bigint };

/** A bundler store in memory. It outlives a bundler, so a test can restart one on it. */
export type MemoryBundlerStore = BundlerStore & {
  add: (operations: BurnOperation[]) => void;
  updates: () => SettlementUpdate[];
  bundles: () => Bundle[];
};

/** Makes an empty {@link MemoryBundlerStore}. */
export function createMemoryBundlerStore(now: () => number = Date.now): MemoryBundlerStore {
  const rows = new Map<string, Row>();
  const bundles = new Map<string, BundleRow>();
  const leases = new Map<string, { owner: string; until: number }>();

  function apply(update: SettlementUpdate): void {
    const row = rows.get(update.settlementId);
    if (!row) throw new Error(`Unknown settlement "${update.settlementId}".`);
    row.update = update;
    if (update.status !== "pending") return;
    row.retryAt = update.retryAt ?? 0;
    if (!update.isRefused) return;
    row.operation = { ...row.operation, attempts: row.operation.attempts + 1 };
  }
  function submit(bundle: Bundle): void {
    const transaction = bundle.transactions.at(-1)?.hash ?? "";
    for (const { root, settlements } of bundle.burns) {
      for (const { settlementId, proof } of settlements) {
        apply({ settlementId, status: "submitted", transaction, root, proof });
        const row = rows.get(settlementId);
        if (row) row.bundleId = bundle.id;
      }
    }
  }
  const getBundle = (id: string) => {
    const row = bundles.get(id);
    if (!row) throw new Error(`Unknown bundle "${id}".`);
    return row;
  };

  return {
    add: (operations) => {
      for (const operation of operations) {
        const { settlementId } = operation;
        rows.set(settlementId, {
          operation,
          update: { settlementId, status: "pending", transaction: "" },
          retryAt: 0,
        });
      }
    },
    updates: () => [...rows.values()].map(({ update }) => update),
    bundles: () => [...bundles.values()].map(({ bundle }) => bundle),
    takeLease: async ({ lane, owner, ttlMs }) => {
      const lease = leases.get(lane);
      if (lease && lease.owner !== owner && lease.until > now()) return false;
      leases.set(lane, { owner, until: now() + ttlMs });
      return true;
    },
    releaseLease: async ({ lane, owner }) => {
      if (leases.get(lane)?.owner === owner) leases.delete(lane);
    },
    listPending: async ({ now: at, limit }) =>
      [...rows.values()]
        .filter(({ update, retryAt }) => update.status === "pending" && retryAt <= at)
        .slice(0, limit)
        .map(({ operation }) => operation),
    saveBundle: async ({ bundle, owner }) => {
      if (leases.get(bundle.lane)?.owner !== owner) throw new Error("The lease was lost.");
      bundles.set(bundle.id, { bundle: structuredClone(bundle), state: "open", block: 0n });
      submit(bundle);
    },
    listOpenBundles: async ({ lane }) =>
      [...bundles.values()]
        .filter(({ bundle, state }) => bundle.lane === lane && state === "open")
        .map(({ bundle }) => bundle),
    closeBundle: async ({ bundleId, block, updates }) => {
      const row = getBundle(bundleId);
      row.block = block;
      const isInBlock = updates.some(({ status }) => status === "included" || status === "failed");
      row.state = isInBlock ? "closed" : "final";
      for (const update of updates) {
        if (rows.get(update.settlementId)?.bundleId === bundleId) apply(update);
      }
    },
    findStates: async (settlementIds) =>
      settlementIds.flatMap((settlementId) => rows.get(settlementId)?.update ?? []),
    updateSettlements: async (updates) => {
      for (const update of updates) apply(update);
    },
    listUnfinalBundles: async ({ lane, limit }) =>
      [...bundles.values()]
        .filter(({ bundle, state }) => bundle.lane === lane && state === "closed")
        .slice(0, limit)
        .map(({ bundle, block }) => ({ ...bundle, block })),
    finalizeBundle: async (bundleId) => {
      const row = getBundle(bundleId);
      row.state = "final";
      for (const { settlements } of row.bundle.burns) {
        for (const { settlementId } of settlements) {
          const update = rows.get(settlementId)?.update;
          if (update?.status === "included") apply({ ...update, status: "final" });
        }
      }
    },
    reopenBundle: async (bundleId) => {
      const row = getBundle(bundleId);
      row.state = "open";
      submit(row.bundle);
    },
  };
}
