import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openTestPglite } from "@/lib/adapters/db/testing/stores.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";
import { createMarket } from "../testing/test-service.ts";

let database: Database;
let service: ChainTestService;

beforeAll(async () => {
  database = await openTestPglite();
  // The test looks at the chain when it wants to.
  service = await startChainTestService(database, undefined, undefined, () => []);
});
afterAll(async () => {
  await service.stop();
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
});

test("a burn that the chain moves to a later block stops no sales", async () => {
  const receiver = await service.party({ isFunded: false });
  const { builder, subscriber, token, planId, agentId, endpoint } = await createMarket(service, {
    price: getCryptoPriceConfig(1_000_000n, receiver.address, service.usdc),
    credits: getFixedCreditsConfig(100n, 1n),
  });
  const settlement = await builder.payments.facilitator.settlePermissions({
    paymentRequired: buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" }),
    x402AccessToken: token,
  });
  expect(settlement).toMatchObject({ success: true });
  await service.untilMirrored();
  const [bundle] = await database.query<{ raw: string; block: bigint }>(
    "select transactions->-1->>'raw' as raw, block::numeric as block from chain_bundles order by seq desc limit 1",
    [],
  );
  const { client } = service.onChain.operator;
  const depth = Number((await client.getBlockNumber()) - (bundle?.block ?? 0n)) + 2;
  await client.request({ method: "anvil_mine", params: ["0x1"] } as never);
  await client.request({ method: "anvil_reorg", params: [depth, [[bundle?.raw, 1]]] } as never);
  await service.onChain.watch();
  expect(await service.onChain.findings.listOpen()).toEqual([]);
  expect(await service.onChain.reconciler.run()).toMatchObject({ difference: 0n });
  expect(service.onChain.salesStop()).toBeNull();
  expect(await service.credits(subscriber.address, planId)).toBe(99n);
});
