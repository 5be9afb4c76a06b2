import type { Hex } from "viem";
import { expect, test } from "vitest";
import { createBundler } from "./bundler.ts";
import type { BundlerOptions } from "./bundler-options.ts";

/** A bundler with included bundles of these transactions, of which the node fails to show the first ones; those it made final. */
function bundlerOf(hashes: Hex[], { isAway = (): boolean => false, failing = 1 } = {}) {
  const asked: Hex[] = [];
  const final: string[] = [];
  const client = {
    async getBlockNumber() {
      if (isAway()) throw new Error("connection refused");
      return 100n;
    },
    async getTransactionReceipt({ hash }: { hash: Hex }) {
      asked.push(hash);
      if (hashes.indexOf(hash) < failing) throw new Error("header not found");
      return { status: "success", blockNumber: 7n, transactionHash: hash, logs: [] };
    },
  };
  const store = {
    listUnfinalBundles: async ({ limit }: { limit: number }) =>
      hashes
        .filter((hash) => !final.includes(hash))
        .slice(0, limit)
        .map((hash) => ({ id: hash, block: 7n, burns: [], transactions: [{ hash }] })),
    findStates: async () => [],
    finalizeBundle: async (id: string) => {
      final.push(id);
    },
  };
  const bundler = createBundler({
    client,
    store,
    lane: "settler",
    owner: "one",
    deployment: { credits: "0x00000000000000000000000000000000000000c0" },
  } as unknown as BundlerOptions);
  return { bundler, asked, final };
}

test("a bundle that the node fails to show keeps no later one from becoming final", async () => {
  const { bundler, final } = bundlerOf(["0x01", "0x02"]);
  await expect(bundler.checkFinality()).rejects.toThrow("header not found");
  expect(final).toEqual(["0x02"]);
});

test("however many bundles the node fails to show, those behind them become final", async () => {
  const hashes = Array.from({ length: 220 }, (_, n): Hex => `0x${n}`);
  const { bundler, final } = bundlerOf(hashes, { failing: 150 });
  for (let round = 0; round < 3; round += 1)
    await expect(bundler.checkFinality()).rejects.toThrow("header not found");
  expect(final).toHaveLength(70);
});

test("a node that is away is not asked about each bundle", async () => {
  let heads = 0;
  const { bundler, asked } = bundlerOf(["0x01", "0x02"], { isAway: () => ++heads > 1 });
  await expect(bundler.checkFinality()).rejects.toThrow();
  expect(asked).toEqual(["0x01"]);
});
