import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getCryptoPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";

type Answer = { id: number; result?: { transactionHash: string; logs: unknown[] } };

let database: Database;
let service: ChainTestService;
let chain = "";
/** From a receipt's second reading on, a node that has the block's state and its events later. */
let isBehind = false;
const seen = new Set<string>();
const node = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString();
  const headers = { "content-type": "application/json" };
  const answer = await (await fetch(chain, { method: "POST", headers, body })).json();
  for (const { result } of [answer].flat() as Answer[]) {
    if (!Array.isArray(result?.logs)) continue;
    if (isBehind && seen.has(result.transactionHash)) result.logs = [];
    seen.add(result.transactionHash);
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(answer));
});

beforeAll(async () => {
  await new Promise<void>((started) => node.listen(0, "127.0.0.1", started));
  database = await openRuleStore();
  service = await startChainTestService(database, undefined, (url) => {
    chain = url;
    return `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  });
});
afterAll(async () => {
  await service.stop();
  node.close();
  await database.close();
});

test("an order whose events the node has later is paid once, and never called refused", async () => {
  const [seller, buyer] = [await service.party({ isFunded: false }), await service.party()];
  const { planId } = await seller.payments.plans.registerCreditsPlan(
    { name: "Paid" },
    getCryptoPriceConfig(10_000n, seller.address, service.usdc),
    getFixedCreditsConfig(10n, 1n),
  );
  isBehind = true;
  const order = await buyer.payments.plans.orderPlan(planId, { idempotencyKey: "late-events" });
  isBehind = false;
  expect(order).toMatchObject({ status: "charging" });
  const { ports, onChain } = service;
  await ports.clock.advance(120);
  await resolveOrders(ports);
  expect(await buyer.payments.plans.getOrder(order.orderId)).toMatchObject({ status: "minted" });
  expect(await service.money(seller.address)).toBe(10_000n);
  await onChain.watch();
  expect(onChain.salesStop()).toBeNull();
});
