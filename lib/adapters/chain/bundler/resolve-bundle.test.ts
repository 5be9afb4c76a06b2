import { type Hex, TransactionReceiptNotFoundError, toHex } from "viem";
import { expect, test } from "vitest";
import type { Bundle } from "@/lib/domain/chain-ports.ts";
import type { ChainClient } from "../chain-client.ts";
import type { Deployment } from "../deployment.ts";
import { readBundleOutcome } from "./resolve-bundle.ts";

const REVERTED = toHex(1, { size: 32 });
const LATER = toHex(2, { size: 32 });
const BLOCK = 5n;

const bundle: Bundle = {
  id: "bundle",
  lane: "settler",
  burns: [
    {
      sessionKey: toHex(3, { size: 20 }),
      nonceKey: 7n,
      userOperationHash: toHex(4, { size: 32 }),
      root: toHex(5, { size: 32 }),
      holder: toHex(6, { size: 20 }),
      planId: 1n,
      amount: 1n,
      count: 1n,
      settlements: [{ settlementId: "s1", amount: 1n, proof: [] }],
    },
  ],
  transactions: [
    { hash: REVERTED, raw: "0x", nonce: 8 },
    { hash: LATER, raw: "0x", nonce: 9 },
  ],
};

/** Reads the bundle from a chain where its first transaction reverted and its operation is unused. */
function read({ latest, next }: { latest: bigint; next: number }) {
  const client = {
    getBlockNumber: async () => latest,
    getTransactionReceipt: async ({ hash }: { hash: Hex }) => {
      if (hash !== REVERTED) throw new TransactionReceiptNotFoundError({ hash });
      return { status: "reverted", blockNumber: BLOCK, transactionHash: hash, from: "0x01" };
    },
    getTransactionCount: async () => next,
    readContract: async () => 7n << 64n,
  } as unknown as ChainClient;
  const deployment = { entryPoint: toHex(9, { size: 20 }) } as Deployment;
  return readBundleOutcome({ client, deployment, bundle, retryAt: 0 });
}

test("a reverted bundle is due again once none of its transactions can be included any more", async () => {
  expect(await read({ latest: BLOCK, next: 10 })).toMatchObject({
    block: BLOCK,
    updates: [{ settlementId: "s1", status: "pending", reason: "BundleReverted" }],
  });
});

test("a reverted bundle stays open while another of its transactions may be included", async () => {
  expect(await read({ latest: BLOCK, next: 9 })).toBeUndefined();
});

test("a node that is behind the reverted transaction's block says nothing about the operations", async () => {
  await expect(read({ latest: BLOCK - 1n, next: 10 })).rejects.toThrow("behind block 5");
});
