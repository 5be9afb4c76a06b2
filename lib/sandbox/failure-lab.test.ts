import {
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  getNativeTokenPriceConfig,
  type Receipt,
} from "@turnpike/payments/protocol";
import { parseEventLogs } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { creditsAbi } from "@/lib/adapters/chain/abis.ts";
import { verifyReceipt } from "@/lib/adapters/chain/bundler/burn-groups.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createPipeline } from "@/lib/server/pipeline/perform.ts";
import { servedOperations } from "@/lib/server/pipeline/served-operations.ts";
import {
  type ChainTestService,
  startChainTestService,
} from "@/lib/server/testing/chain-service.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
} from "@/lib/server/testing/test-service.ts";
import { createFaultLab } from "./fault-lab.ts";
import { type ArmedFault, sandbox } from "./operations.ts";

describe("the sandbox's failure lab and faucet", () => {
  let database: Database;
  let service: ChainTestService;
  let market: TestMarket;

  beforeAll(async () => {
    database = await openRuleStore();
    service = await startChainTestService(database);
    const { address } = await service.party({ isFunded: false });
    market = await createMarket(service, {
      price: getCryptoPriceConfig(1_000_000n, address, service.usdc),
      credits: getFixedCreditsConfig(100n, 1n),
    });
  });
  afterEach(async () => {
    await market.subscriber.sandbox.clearFaults();
  });
  afterAll(async () => {
    await service.untilMirrored();
    await service.stop();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const arm = (fault: ArmedFault["fault"], more = {}) =>
    market.subscriber.sandbox.injectFault({ fault, ...more });
  const ask = (path: string, agentRequestId = freshId()) =>
    service.call(market.builder, "POST", path, {
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId,
    });

  test("verify and settle are down without any effect, for the given number of calls", async () => {
    await arm("verify-down", { times: 2 });
    for (const status of [503, 503, 200]) expect((await ask("/x402/verify")).status).toBe(status);
    await arm("settle-down");
    const before = await service.ports.plans.balance(market.planId, market.subscriber.address);
    const down = await ask("/x402/settle");
    expect([down.status, down.headers.get("retry-after")]).toEqual([503, "1"]);
    const after = await service.ports.plans.balance(market.planId, market.subscriber.address);
    expect(after?.available).toBe(before?.available);
  });

  test("a lost reply has its effect, and a retry with the same id uses no more credits", async () => {
    await arm("settle-reply-lost");
    const before = await service.ports.plans.balance(market.planId, market.subscriber.address);
    const id = freshId();
    const lost = await ask("/x402/settle", id);
    await expect(lost.text()).rejects.toThrow();
    const again = await ask("/x402/settle", id);
    expect(await again.json()).toMatchObject({ success: true });
    const after = await service.ports.plans.balance(market.planId, market.subscriber.address);
    expect((before?.available ?? 0n) - (after?.available ?? 0n)).toBe(1n);
  });

  test("the SDK recovers from a lost reply on its own", async () => {
    await arm("settle-reply-lost");
    const settlement = await market.builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId: freshId(),
    });
    expect(settlement).toMatchObject({ success: true });
  });

  test("slow calls respond late", async () => {
    await arm("verify-slow", { delayMs: 300 });
    const since = performance.now();
    expect((await ask("/x402/verify")).status).toBe(200);
    expect(performance.now() - since).toBeGreaterThan(290);
  });

  test("faults are listed with their remaining count, and can be cleared or expire", async () => {
    await arm("verify-down", { times: 3 });
    await ask("/x402/verify");
    const { items } = await market.builder.sandbox.listFaults();
    expect(items).toMatchObject([{ fault: "verify-down", left: 2, struck: 1 }]);
    expect(await market.builder.sandbox.clearFaults()).toMatchObject({ cleared: 1 });
    expect((await ask("/x402/verify")).status).toBe(200);
    await arm("verify-down", { times: 9, durationSecs: 1 });
    const later = Date.now() + 1_001;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => later);
    try {
      expect((await market.builder.sandbox.listFaults()).items).toEqual([]);
      expect((await ask("/x402/verify")).status).toBe(200);
    } finally {
      clock.mockRestore();
    }
  });

  test("a fault for one plan affects no other, and is cleared by its id", async () => {
    const { items } = await market.builder.payments.plans.listPlans();
    expect(items.map(({ planId }) => planId)).toContain(market.planId);
    const other = await arm("verify-down", { times: 9, planId: "77" });
    expect((await ask("/x402/verify")).status).toBe(200);
    const own = await arm("verify-down", { times: 9, planId: market.planId });
    expect((await ask("/x402/verify")).status).toBe(503);
    const { sandbox } = market.subscriber;
    expect(await sandbox.clearFaults(own.faultId)).toMatchObject({ cleared: 1 });
    expect((await ask("/x402/verify")).status).toBe(200);
    expect((await sandbox.listFaults()).items).toMatchObject([{ faultId: other.faultId }]);
  });

  test("paused orders are declined with the reason, and resume when the fault is cleared", async () => {
    await arm("chain-paused");
    const { subscriber, planId } = market;
    await expect(subscriber.payments.plans.orderPlan(planId)).rejects.toMatchObject({
      details: [{ message: "paused" }],
    });
    await subscriber.sandbox.clearFaults();
    expect(await subscriber.payments.plans.orderPlan(planId)).toMatchObject({ success: true });
  });

  test("settles continue in the ledger without the chain, and are mirrored when it is back", async () => {
    await arm("chain-unreachable");
    const settlement = await (await ask("/x402/settle")).json();
    expect(settlement).toMatchObject({ success: true, extra: { chainStatus: "pending" } });
    const order = await service.call(
      market.subscriber,
      "POST",
      `/protocol/plans/${market.planId}/order`,
      {},
    );
    expect(await order.json()).toMatchObject({ success: false, status: "charging" });
    await market.subscriber.sandbox.clearFaults();
    await service.untilMirrored();
    const receipt = (await (
      await service.call(null, "GET", `/receipts/${settlement.extra.settlementId}`)
    ).json()) as Receipt;
    expect(["included", "final"]).toContain(receipt.chainStatus);
  });

  test("a receipt of an included burn can be proved against the chain without the service", async () => {
    const settlements = await Promise.all(
      Array.from({ length: 5 }, async () => (await ask("/x402/settle")).json()),
    );
    await service.untilMirrored();
    for (const { extra } of settlements) {
      const answer = await service.call(null, "GET", `/receipts/${extra.settlementId}`);
      const { proof, chain, transaction, creditsRedeemed } = (await answer.json()) as Receipt;
      if (!proof || !chain) throw new Error("There is no proof.");
      expect(proof.leaf).toEqual([extra.settlementId, creditsRedeemed]);
      const [settlementId = "", amount = ""] = proof.leaf;
      const root = proof.root as `0x${string}`;
      const siblings = proof.siblings as `0x${string}`[];
      const check = (id: string) =>
        verifyReceipt({ settlementId: id, amount: BigInt(amount), root, proof: siblings });
      expect(check(settlementId)).toBe(true);
      expect(check(freshId())).toBe(false);
      const { client } = service.onChain.operator;
      const { logs } = await client.getTransactionReceipt({ hash: transaction as `0x${string}` });
      const burns = parseEventLogs({ abi: creditsAbi, logs }).filter(
        ({ address }) => address.toLowerCase() === chain.credits.toLowerCase(),
      );
      expect(
        JSON.stringify(
          burns,
          (_key, value) => `${value}` && (typeof value === "bigint" ? `${value}` : value),
        ),
      ).toContain(root);
      expect(chain.chainId).toBe(await client.getChainId());
    }
  });

  test("the faucet tops up test dollars and coins to its limit", async () => {
    const person = await service.party({ isFunded: false });
    const { sandbox } = person;
    const { plans } = person.payments;
    expect(await sandbox.fund({ usdc: true })).toMatchObject({
      account: person.address,
      usdc: "1000000000",
      native: "0",
    });
    const both = { usdc: "1000000000", native: "1000000000000000000" };
    expect(await sandbox.fund()).toMatchObject(both);
    expect(await sandbox.fund()).toMatchObject(both);
    const { planId } = await market.builder.payments.plans.registerCreditsPlan(
      { name: "Coins" },
      getNativeTokenPriceConfig(5n, market.builder.address),
      getFixedCreditsConfig(10n),
    );
    expect(await plans.orderPlan(planId)).toMatchObject({ success: true });
    expect(await service.money(market.builder.address)).toBeDefined();
  });

  test("a service without the sandbox's operations has neither", async () => {
    const { ports } = createTestService(database);
    const live = createPipeline({ ports, operations: servedOperations });
    for (const name of Object.keys(sandbox)) {
      expect(() => live.find(name)).toThrow(expect.objectContaining({ code: "not_found" }));
    }
  });
});

describe("card faults", () => {
  test("are passed to the processor, counted, and cleared", async () => {
    const waiting: { kind: string; times: number | undefined }[] = [];
    let hits = 0;
    const clear = vi.fn(() => waiting.splice(0));
    const lab = createFaultLab({
      cards: {
        add: ({ kind, times }) => waiting.push({ kind, times }),
        clear,
        hits: () => ({ "lose-reply": hits }),
      },
    });
    const common = { durationSecs: 60, delayMs: 1 };
    await lab.arm({ fault: "card-reply-lost", times: 3, ...common });
    await lab.arm({ fault: "card-error", times: 1, ...common });
    expect(waiting).toEqual([
      { kind: "lose-reply", times: 3 },
      { kind: "error-before", times: 1 },
    ]);
    hits = 2;
    expect(lab.list()).toMatchObject([{ left: 1, struck: 2 }, { left: 1 }]);
    await lab.arm({ fault: "card-slow", times: 1, ...common });
    expect(waiting).toMatchObject([{ times: 1 }, { times: 1 }, { kind: "delay" }]);
    expect(await lab.clear()).toBe(3);
    expect(waiting).toEqual([]);
    expect(lab.take("settlePermissions", {})).toBeNull();
  });
});
