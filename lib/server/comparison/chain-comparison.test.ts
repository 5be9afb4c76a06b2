import { afterAll, beforeAll, expect, test } from "vitest";
import { createChainClient } from "@/lib/adapters/chain/chain-client.ts";
import {
  type ChainFixture,
  startChainFixture,
} from "@/lib/adapters/chain/testing/chain-fixture.ts";
import { METHOD_NOT_FOUND, startNodeInFront } from "@/lib/adapters/chain/testing/node-in-front.ts";
import { createFindPlanVersion } from "@/lib/adapters/db/chain/chain-orders.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createHealth } from "../create-health.ts";
import { explainAll } from "../testing/explain-all.ts";
import { createChainComparison } from "./chain-comparison.ts";
import { createLedgerComparison } from "./ledger-comparison.ts";

const log = { info: () => {}, warn: () => {}, error: () => {} };
let chain: ChainFixture;
let database: Database;

beforeAll(async () => {
  [chain, database] = await Promise.all([startChainFixture(), openRuleStore()]);
});
afterAll(async () => {
  await chain.stop();
  await database.close();
});

test("health is degraded when the node answers no eth_getLogs, until a comparison succeeds", async () => {
  let isLacking = true;
  const node = await startNodeInFront(
    () => chain.chain.rpcUrl,
    ({ method }) => (isLacking && method === "eth_getLogs" ? METHOD_NOT_FOUND : undefined),
  );
  let ms = 0;
  const now = () => ms;
  const client = createChainClient({ rpcUrl: node.rpcUrl, chainId: chain.deployment.chainId });
  const onChain = createChainComparison({
    operator: { ...chain, client },
    database,
    findVersion: createFindPlanVersion(database.orm),
    pausesItself: chain.admin,
    takeLease: async () => true,
    log,
    now,
  });
  const comparison = createLedgerComparison(database, () => 0);
  const rail = { isHealthy: async () => true };
  const watched = { ...onChain, rail, findSettlerFault: () => null, findUnreadable: () => null };
  const parts = {
    database,
    onChain: watched,
    onCards: null,
    comparison,
    secrets: { findDegraded: () => null },
  };
  const health = createHealth(parts, "sandbox", () => 0, log);

  await expect(onChain.reconcile()).rejects.toThrow("eth_getLogs");
  expect(await health()).toMatchObject({ status: "ok" });
  ms += 301_000;
  expect(await health()).toMatchObject({
    status: "degraded",
    checks: { chain: { ok: true, degraded: "not compared for 301 s" } },
  });
  isLacking = false;
  await onChain.reconcile();
  // The fixture's own change of the daily cap.
  await explainAll(onChain.findings);
  await onChain.readOpen();
  expect((await health()).checks.chain).toMatchObject({ facts: { reconciledSecsAgo: 0 } });
  expect(await health()).toMatchObject({ status: "ok" });
  ms += 301_000;
  expect((await health()).checks.chain).toMatchObject({
    degraded: "not compared for 301 s",
    facts: { reconciledSecsAgo: 301 },
  });
  node.close();
});

test("health counts stuck orders where plans are paid on chain only", async () => {
  const comparison = createLedgerComparison(database, () => 0);
  const parts = {
    database,
    onChain: undefined,
    onCards: null,
    comparison,
    secrets: { findDegraded: () => null },
  };
  const health = createHealth(parts, "live", () => 2, log);
  expect(await health()).toMatchObject({ checks: { ledger: { facts: { stuckOrders: 2 } } } });
});
