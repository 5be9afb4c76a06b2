import {
  buildPaymentRequired,
  getFixedCreditsConfig,
  type Settlement,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFull, longTest } from "@/lib/testing/in-full.ts";
import type { Database } from "../client.ts";
import { brokenRules, ruleStores } from "../testing/stores.ts";

describe.each(ruleStores())("races on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const requirementOf = ({ planId, agentId, endpoint }: TestMarket) =>
    buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" });

  async function settle(
    market: TestMarket,
    agentRequestId: string,
    body: object = {},
  ): Promise<Settlement> {
    const response = await service.call(market.builder, "POST", "/x402/settle", {
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId,
      ...body,
    });
    return response.json();
  }

  const idOf = (index: number) => `race-${index.toString().padStart(16, "0")}`;
  const times = <T>(count: number, work: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => work(index)));

  test("R5, T12: a crowd of settles at once on a balance of 100 takes exactly 100", async () => {
    const market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    const results = await times(inFull(5_000, 300), (index) => settle(market, idOf(index)));
    expect(results.filter(({ success }) => success)).toHaveLength(100);
    const refusals = results.filter(({ success }) => !success) as { errorReason: string }[];
    expect(new Set(refusals.map(({ errorReason }) => errorReason))).toEqual(
      new Set(["insufficient_balance"]),
    );
    const balance = await market.subscriber.payments.plans.getPlanBalance(market.planId);
    expect(balance.balance).toBe(0n);
    // Each success saw a different balance: none was counted twice.
    const remaining = results.flatMap((result) =>
      result.success ? [result.remainingBalance] : [],
    );
    expect(new Set(remaining).size).toBe(100);
  }, 120_000);

  test("T14: a crowd of settles at once with one request id is one burn and one answer", async () => {
    const market = await createMarket(service);
    const results = await times(inFull(1_000, 60), () => settle(market, idOf(1)));
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(results[0]).toMatchObject({ success: true, remainingBalance: "99" });
  }, 60_000);

  test("T14: the same request id with another body is a conflict", async () => {
    const market = await createMarket(service);
    await settle(market, idOf(2));
    const response = await service.call(market.builder, "POST", "/x402/settle", {
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId: idOf(2),
      maxAmount: "5",
    });
    expect([response.status, (await response.json()).code]).toEqual([409, "idempotency_conflict"]);
  });

  longTest(
    "T54: 200 orders of a trial at once are one",
    async () => {
      const market = await createMarket(service, { isTrial: true, order: false });
      const answers = await times(200, () =>
        service.call(market.subscriber, "POST", `/protocol/plans/${market.planId}/order`),
      );
      const codes = await Promise.all(
        answers.map(async (answer) =>
          answer.status === 200 ? "ordered" : (await answer.json()).code,
        ),
      );
      expect(codes.filter((code) => code === "ordered")).toHaveLength(1);
      expect(codes.filter((code) => code === "already_ordered")).toHaveLength(199);
    },
    60_000,
  );

  test("T10: a crowd of holds at once on a redemption limit of 7 are 7, and so are the settles", async () => {
    const market = await createMarket(service, { redemptionLimit: 7 });
    const verifications = await times(inFull(500, 100), () =>
      market.builder.payments.facilitator.verifyPermissions({
        paymentRequired: requirementOf(market),
        x402AccessToken: market.token,
        reserve: true,
      }),
    );
    const held = verifications.filter(({ isValid }) => isValid) as { agentRequestId: string }[];
    expect(held).toHaveLength(7);
    const settled = await Promise.all(
      held.map(({ agentRequestId }) => settle(market, agentRequestId)),
    );
    expect(settled.every(({ success }) => success)).toBe(true);
    expect(await settle(market, idOf(3))).toMatchObject({
      success: false,
      errorReason: "insufficient_balance",
    });
  }, 60_000);

  test("T10: a crowd of settles without holds on a redemption limit of 7 are 7, and the others are declined", async () => {
    const market = await createMarket(service, { redemptionLimit: 7 });
    const settled = await times(inFull(500, 100), (index) => settle(market, idOf(index)));
    expect(settled.filter(({ success }) => success)).toHaveLength(7);
    const outcomes = settled.map((each) => each.success || each.errorReason);
    expect(new Set(outcomes)).toEqual(new Set([true, "insufficient_balance"]));
  }, 60_000);

  test("holds, releases and settles of many requests at once leave the books in order", async () => {
    const market = await createMarket(service, { credits: getFixedCreditsConfig(1000n, 2n) });
    await times(300, async (index) => {
      const verification = await market.builder.payments.facilitator.verifyPermissions({
        paymentRequired: requirementOf(market),
        x402AccessToken: market.token,
        reserve: true,
      });
      if (!verification.isValid) throw new Error(verification.invalidReason);
      const { agentRequestId } = verification;
      if (index % 3 === 0)
        await market.builder.payments.facilitator.releasePermissions({ agentRequestId });
      else expect((await settle(market, agentRequestId)).success).toBe(true);
    });
    const balance = await market.subscriber.payments.plans.getPlanBalance(market.planId);
    expect(balance).toMatchObject({ balance: 600n, held: 0n });
  }, 60_000);
});
