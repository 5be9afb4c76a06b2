import { keccak256, stringToHex } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createChainClient } from "@/lib/adapters/chain/chain-client.ts";
import {
  type ChainFixture,
  startChainFixture,
} from "@/lib/adapters/chain/testing/chain-fixture.ts";
import { startNodeInFront } from "@/lib/adapters/chain/testing/node-in-front.ts";
import { createFindPlanVersion } from "@/lib/adapters/db/chain/chain-orders.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createHealth } from "../create-health.ts";
import { explainAll } from "../testing/explain-all.ts";
import { createChainComparison } from "./chain-comparison.ts";
import { createLedgerComparison } from "./ledger-comparison.ts";

const MINTER_ROLE = keccak256(stringToHex("MINTER_ROLE"));
const log = { info: () => {}, warn: () => {}, error: () => {} };
let chain: ChainFixture;
let database: Database;
let node: Awaited<ReturnType<typeof startNodeInFront>>;
/** What the node says of its chain and its latest block; else what the chain says. */
let says: { chainId?: number; head?: bigint } = {};
/** The last block that the node which lists events has. */
let listedTo: bigint | null = null;
/** The first blocks of the ranges that events were asked for. */
const asked: bigint[] = [];

const hex = (number: number | bigint) => ({ result: `0x${number.toString(16)}` });

function instead({ method, params }: { method: string; params?: unknown }) {
  const [query] = (params ?? []) as (string | { fromBlock: string; toBlock: string })[];
  if (method === "eth_chainId" && says.chainId) return hex(says.chainId);
  if (method === "eth_blockNumber" && says.head !== undefined) return hex(says.head);
  if (method === "eth_getLogs" && typeof query === "object" && "toBlock" in query) {
    asked.push(BigInt(query.fromBlock));
    if (listedTo !== null && BigInt(query.toBlock) > listedTo) return { result: [] };
  }
  const isLacking = listedTo !== null && typeof query === "string" && BigInt(query) > listedTo;
  return method === "eth_getBlockByNumber" && isLacking ? { result: null } : undefined;
}

beforeAll(async () => {
  [chain, database] = await Promise.all([startChainFixture(), openRuleStore()]);
  node = await startNodeInFront(() => chain.chain.rpcUrl, instead);
});
afterEach(async () => {
  says = {};
  listedTo = null;
  await database.query("delete from chain_findings", []);
  await database.query("delete from chain_cursors", []);
});
afterAll(async () => {
  node.close();
  await chain.stop();
  await database.close();
});

/** The comparison as a process has it at its start. */
function open() {
  const client = createChainClient({ rpcUrl: node.rpcUrl, chainId: chain.deployment.chainId });
  const onChain = createChainComparison({
    operator: { ...chain, client },
    database,
    findVersion: createFindPlanVersion(database.orm),
    pausesItself: chain.admin,
    takeLease: async () => true,
    log,
  });
  const rail = { isHealthy: async () => true };
  const watched = { ...onChain, rail, findSettlerFault: () => null, findUnreadable: () => null };
  const comparison = createLedgerComparison(database);
  const parts = {
    database,
    onChain: watched,
    onCards: null,
    comparison,
    secrets: { findDegraded: () => null },
  };
  const health = createHealth(parts, "sandbox", () => 0, log);
  /** Reads the events, as someone explains what was found. */
  const watch = async () => {
    await onChain.watch();
    const found = (await onChain.findings.listOpen()).map(({ kind }) => kind);
    await explainAll(onChain.findings);
    await onChain.readOpen();
    return found;
  };
  return { ...onChain, watch, degraded: async () => (await health()).checks.chain?.degraded };
}

/** Makes someone a minter, as with a stolen key of the administrator. */
let thieves = 0;
const steal = () => {
  thieves += 1;
  const thief = `0x${thieves.toString(16).padStart(40, "0")}`;
  return chain.administer("grantRole", [MINTER_ROLE, thief]);
};
const mine = (blocks: number) =>
  chain.client.request({ method: "anvil_mine", params: [`0x${blocks.toString(16)}`] } as never);
const cursor = async () =>
  (await database.query<{ block: bigint }>("select block from chain_cursors", []))[0]?.block;

test("a node of another chain is not read, and moves no cursor", async () => {
  const { watch } = open();
  await watch();
  const before = await cursor();
  says = { chainId: 1, head: 0n };
  await expect(watch()).rejects.toThrow("The node is of chain 1");
  says = { chainId: 1, head: 100_000n };
  await expect(watch()).rejects.toThrow("The node is of chain 1");
  expect(await cursor()).toEqual(before);
  says = {};
  await steal();
  expect(await watch()).toEqual(["role"]);
});

test("a latest block that the node cannot show moves no cursor", async () => {
  const { watch } = open();
  await watch();
  says = { head: 100_000n };
  await expect(watch()).rejects.toThrow("could not be found");
  says = {};
  await steal();
  expect(await watch()).toEqual(["role"]);
});

test("a cursor far above the latest block is degraded, and every event is found: those before the start and those after", async () => {
  await mine(100);
  await open().watch();
  await database.query("update chain_cursors set block = 100000", []);
  await steal();
  const { watch, degraded, hasScanned } = open();
  expect(await watch()).toEqual(["role"]);
  expect(hasScanned()).toBe(true);
  const head = await chain.client.getBlockNumber();
  expect(await degraded()).toBe(`events were read to block 100000, and the node is at ${head}`);
  asked.splice(0);
  await steal();
  expect(await watch()).toEqual(["role"]);
  // Not everything once more.
  expect(asked).toEqual([(await chain.client.getBlockNumber()) - 32n]);

  // The chain comes to that block: what came since is read all the same.
  await database.query("update chain_cursors set block = $1", [`${head + 60n}`]);
  await steal();
  await mine(80);
  expect(await watch()).toEqual(["role"]);
  expect(await degraded()).toBeUndefined();
});

test("an event is found though a node that lags listed none of its block for long", async () => {
  // What was found before is out of the range that is read again.
  await mine(100);
  const { watch } = open();
  await watch();
  listedTo = await chain.client.getBlockNumber();
  await steal();
  for (let round = 0; round < 5; round += 1) {
    await mine(20);
    await watch().catch(() => []);
  }
  listedTo = null;
  expect(await watch()).toEqual(["role"]);
});

test("a node that is a few blocks behind is no alarm; one that is far behind is, and is read from its own latest block", async () => {
  await mine(200);
  const { watch, degraded } = open();
  await watch();
  const head = await chain.client.getBlockNumber();
  says = { head: head - 30n };
  await watch();
  expect(await degraded()).toBeUndefined();
  says = { head: head - 100n };
  asked.splice(0);
  await watch();
  expect(asked).toEqual([head - 131n]);
  expect(await degraded()).toContain("events were read to block");
  says = {};
  await watch();
  expect(await degraded()).toBeUndefined();
});
