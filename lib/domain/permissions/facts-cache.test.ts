import { getDynamicCreditsConfig, toJson } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

describe.each(ruleStores())("settling a held request on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  let calls: ReturnType<typeof createPermissionCalls>;
  let reads: number;

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    service = createTestService(database);
    const { ledger } = service.ports;
    const { readFacts } = ledger;
    ledger.readFacts = (question) => {
      reads += 1;
      return readFacts(question);
    };
    market = await createMarket(service, { credits: getDynamicCreditsConfig(10n, 1n, 5n) });
    calls = createPermissionCalls(service, market);
    reads = 0;
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const hold = async (maxAmount = "4") => {
    const agentRequestId = freshId();
    const verified = await calls.verify({ reserve: true, agentRequestId, maxAmount });
    expect(verified.body).toMatchObject({ isValid: true });
    return { agentRequestId, maxAmount };
  };
  const balance = async () => {
    const { balance, held } = await market.subscriber.payments.plans.getPlanBalance(market.planId);
    return [balance, held];
  };

  test("the receipt names the URL that the settlement keeps, whatever becomes of its agent meanwhile", async () => {
    const { sitesOf } = service.ports;
    let looks = 0;
    service.ports.sitesOf = async (account) => (looks++ === 0 ? sitesOf(account) : []);
    const { body } = await calls.settle(await hold());
    expect(body).toMatchObject({ extensions: { "offer-receipt": { info: { receipt: {} } } } });
    expect(looks).toBe(1);
  });

  test("reads once for both calls; a repeat reads again and gets the same answer", async () => {
    const request = await hold();
    const first = await calls.settle(request);
    expect(first.body).toMatchObject({
      success: true,
      creditsRedeemed: "4",
      remainingBalance: "6",
    });
    expect(reads).toBe(1);
    expect((await calls.settle(request)).body).toEqual(first.body);
    expect(reads).toBe(2);
    expect(await balance()).toEqual([6n, 0n]);
  });

  test("with another body than verify's decides afresh", async () => {
    const { agentRequestId } = await hold("4");
    const less = await calls.settle({ agentRequestId, maxAmount: "3" });
    expect(less.body).toMatchObject({ success: true, creditsRedeemed: "3" });
    expect(reads).toBe(2);
    expect(await balance()).toEqual([7n, 0n]);
  });

  test("of a request that was released takes nothing", async () => {
    const request = await hold();
    await market.builder.payments.facilitator.releasePermissions({
      agentRequestId: request.agentRequestId,
    });
    expect((await calls.settle(request)).status).toBe(409);
    expect(await balance()).toEqual([10n, 0n]);
  });

  test("twenty times at once takes it once", async () => {
    const request = await hold();
    const answers = await Promise.all(Array.from({ length: 20 }, () => calls.settle(request)));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ success: true });
    expect(await balance()).toEqual([6n, 0n]);
  });

  test("keeps nothing as long as what a seller sends with a requirement", async () => {
    const { factsCache } = service.ports;
    const kept: unknown[] = [];
    const { set } = factsCache;
    factsCache.set = (key, facts) => {
      kept.push(facts);
      set.call(factsCache, key, facts);
    };
    const requirement = { ...requirementOf(market), extensions: { long: "x".repeat(100_000) } };
    const agentRequestId = freshId();
    const held = { reserve: true, agentRequestId, maxAmount: "4", requirement };
    expect((await calls.verify(held)).body).toMatchObject({ isValid: true });
    expect(kept).toHaveLength(1);
    expect(toJson(kept).length).toBeLessThan(8_192);
    expect((await calls.settle(held)).body).toMatchObject({ success: true });
    expect(reads).toBe(1);
  });

  test("by another process reads what it needs", async () => {
    const request = await hold();
    const elsewhere = createPermissionCalls(createTestService(database), market);
    expect((await elsewhere.settle(request)).body).toMatchObject({ success: true });
    expect(await balance()).toEqual([6n, 0n]);
  });

  test("T09: after its token was revoked is still paid, because its credits are held", async () => {
    const request = await hold();
    await database.query("update tokens set revoked_at = now() where account = $1", [
      market.subscriber.address,
    ]);
    expect((await calls.settle(request)).body).toMatchObject({ success: true });
    expect((await calls.verify({ reserve: true, agentRequestId: freshId() })).body).toMatchObject({
      isValid: false,
    });
  });
});
