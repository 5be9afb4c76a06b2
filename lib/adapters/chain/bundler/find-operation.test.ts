import { zeroAddress } from "viem";
import { expect, test, vi } from "vitest";
import type { ChainClient } from "../chain-client.ts";
import type { Deployment } from "../deployment.ts";
import { findOperation } from "./find-operation.ts";

const HEAD = 30_000_000n;
const nonceKey = 7n;
const of = {
  deployment: { entryPoint: zeroAddress } as unknown as Deployment,
  sessionKey: zeroAddress,
  nonceKey,
};

test("a node of a pool that lacks the newest block ends the search at once, instead of a look at every block", async () => {
  const getLogs = vi.fn(async () => []);
  const client = {
    readContract: async () => (nonceKey << 64n) + 1n,
    getBlockNumber: async () => HEAD,
    getLogs,
    getBlock: async () => {
      throw new Error("header not found");
    },
  } as unknown as ChainClient;
  await expect(findOperation({ ...of, client, sinceBlock: 25_000_000n })).rejects.toThrow(
    "header not found",
  );
  expect(getLogs).toHaveBeenCalledTimes(1);
});

test("the search begins at the head of the node that has seen the nonce used", async () => {
  const asked: string[] = [];
  const heads = [HEAD, HEAD - 10n];
  let ranges: unknown[] = [];
  const client = {
    readContract: async () => {
      asked.push("nonce");
      await Promise.resolve();
      asked.push("answer");
      return (nonceKey << 64n) + 1n;
    },
    getBlockNumber: async () => {
      asked.push("head");
      return heads.shift();
    },
    getLogs: async ({ toBlock }: { toBlock: bigint }) => {
      ranges = [...ranges, toBlock];
      return [];
    },
    getBlock: async () => ({}),
  } as unknown as ChainClient;
  await expect(findOperation({ ...of, client, sinceBlock: HEAD })).rejects.toThrow("is included");
  // Both are asked in one request.
  expect(asked).toEqual(["nonce", "head", "answer"]);
  expect(ranges).toEqual([HEAD]);
});
