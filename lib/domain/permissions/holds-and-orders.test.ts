import {
  decodeAccessToken,
  getDynamicCreditsConfig,
  getErc20PriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { CashRail } from "@/lib/domain/testing/cash-rail.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import { createPretendRail } from "@/lib/server/testing/pretend-rail.ts";
import {
  createMarket,
  createTestService,
  TEST_ORIGIN,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";

describe.each(ruleStores())("holds and orders on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let rail: CashRail;

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(() => {
    rail = createPretendRail();
    service = createTestService(database, { rails: [rail] });
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const balanceOf = ({ subscriber, planId }: TestMarket) =>
    subscriber.payments.plans.getPlanBalance(planId);
  const pass = (seconds: number) => service.ports.clock.advance(seconds);
  async function marketOf(terms: Parameters<typeof createMarket>[1]) {
    const market = await createMarket(service, terms);
    return { market, calls: createPermissionCalls(service, market) };
  }

  describe("a hold", () => {
    const hold = async (calls: ReturnType<typeof createPermissionCalls>, maxAmount?: string) => {
      const agentRequestId = freshId();
      const question = { reserve: true, agentRequestId, ...(maxAmount && { maxAmount }) };
      expect((await calls.verify(question)).body).toMatchObject({ isValid: true });
      return agentRequestId;
    };

    test("is given back by the sweep once its time is over, and not before", async () => {
      const { market, calls } = await marketOf({ credits: getFixedCreditsConfig(10n, 4n) });
      await hold(calls);
      await pass(280);
      await service.ports.ledger.sweep();
      expect(await balanceOf(market)).toMatchObject({ balance: 10n, held: 4n });
      await pass(30);
      await service.ports.ledger.sweep();
      expect(await balanceOf(market)).toMatchObject({ balance: 10n, held: 0n });
    });

    test.each([
      ["has expired", (_market: TestMarket) => pass(90_000)],
      [
        "was revoked",
        ({ subscriber, token }: TestMarket) => {
          const jti = decodeAccessToken(token)?.payload.authorization.jti ?? "";
          return subscriber.payments.tokens.revokeToken(jti);
        },
      ],
    ])(
      "of a settled request says that it is settled, also once its token %s",
      async (_, endToken) => {
        const { market, calls } = await marketOf({ credits: getFixedCreditsConfig(10n, 4n) });
        const agentRequestId = await hold(calls);
        expect((await calls.settle({ agentRequestId })).body).toMatchObject({ success: true });
        await endToken(market);
        const again = await calls.verify({ reserve: true, agentRequestId });
        expect(again.body).toMatchObject({
          code: "idempotency_conflict",
          details: [{ message: "settled" }],
        });
        const other = await calls.verify({ reserve: true, agentRequestId: freshId() });
        expect(other.body).toMatchObject({ isValid: false });
      },
    );

    test("that has expired still pays a late settle: from the hold, or straight from the balance", async () => {
      const { market, calls } = await marketOf({ credits: getFixedCreditsConfig(10n, 4n) });
      const [unswept, swept] = [await hold(calls), await hold(calls)];
      await pass(310);
      expect((await calls.settle({ agentRequestId: unswept })).body).toMatchObject({
        success: true,
      });
      await service.ports.ledger.sweep();
      const late = await calls.settle({ agentRequestId: swept });
      expect(late.body).toMatchObject({
        success: true,
        creditsRedeemed: "4",
        remainingBalance: "2",
      });
      expect((await calls.settle({ agentRequestId: swept })).body).toEqual(late.body);
      expect(await balanceOf(market)).toMatchObject({ balance: 2n, held: 0n });
    });

    test("that is over and swept pays nothing once others have the credits", async () => {
      const { calls } = await marketOf({ credits: getFixedCreditsConfig(8n, 4n) });
      const late = await hold(calls);
      await pass(310);
      await service.ports.ledger.sweep();
      expect((await calls.settle()).body).toMatchObject({ success: true });
      expect((await calls.settle()).body).toMatchObject({ success: true });
      expect((await calls.settle({ agentRequestId: late })).body).toMatchObject({
        errorReason: "insufficient_balance",
      });
    });

    test("is never exceeded: above it 422 and nothing taken, below it the rest comes back", async () => {
      const { market, calls } = await marketOf({ credits: getDynamicCreditsConfig(20n, 1n, 10n) });
      const agentRequestId = await hold(calls, "5");
      const above = await calls.settle({ agentRequestId, maxAmount: "6" });
      expect(above).toMatchObject({ status: 422, body: { code: "invalid_amount" } });
      expect(await balanceOf(market)).toMatchObject({ balance: 20n, held: 5n });
      const below = await calls.settle({ agentRequestId, maxAmount: "3" });
      expect(below.body).toMatchObject({ creditsRedeemed: "3", remainingBalance: "17" });
      expect(await balanceOf(market)).toMatchObject({ balance: 17n, held: 0n });
    });

    test("is released once: a second release gives nothing, a settled one nothing either", async () => {
      const { market, calls } = await marketOf({ credits: getFixedCreditsConfig(10n, 4n) });
      const { facilitator } = market.builder.payments;
      const agentRequestId = await hold(calls);
      expect(await facilitator.releasePermissions({ agentRequestId })).toMatchObject({
        released: "4",
      });
      expect(await facilitator.releasePermissions({ agentRequestId })).toMatchObject({
        released: "0",
      });
      const settled = await hold(calls);
      await calls.settle({ agentRequestId: settled });
      expect(await facilitator.releasePermissions({ agentRequestId: settled })).toMatchObject({
        released: "0",
      });
      expect(await balanceOf(market)).toMatchObject({ balance: 6n, held: 0n });
      await expect(
        facilitator.releasePermissions({ agentRequestId: freshId() }),
      ).rejects.toMatchObject({ code: "not_found" });
    });

    test("that has expired and is released as not delivered pays nothing later", async () => {
      const { market, calls } = await marketOf({ credits: getFixedCreditsConfig(10n, 4n) });
      const { facilitator, requests } = market.builder.payments;
      const [failed, settled] = [await hold(calls), await hold(calls)];
      await pass(310);
      await service.ports.ledger.sweep();
      const late = await calls.settle({ agentRequestId: settled });
      for (const agentRequestId of [failed, failed, settled]) {
        expect(await facilitator.releasePermissions({ agentRequestId })).toMatchObject({
          released: "0",
        });
      }
      expect(await calls.settle({ agentRequestId: failed })).toMatchObject({
        status: 409,
        body: { code: "conflict" },
      });
      await expect(requests.settleRequest(failed)).rejects.toMatchObject({ code: "conflict" });
      expect((await calls.settle({ agentRequestId: settled })).body).toEqual(late.body);
      expect(await balanceOf(market)).toMatchObject({ balance: 6n, held: 0n });
    });

    test("found again by its id is one hold; for another amount a conflict", async () => {
      const { market, calls } = await marketOf({ credits: getDynamicCreditsConfig(20n, 1n, 10n) });
      const agentRequestId = await hold(calls, "5");
      const again = { reserve: true, agentRequestId };
      expect((await calls.verify({ ...again, maxAmount: "5" })).body).toMatchObject({
        isValid: true,
      });
      expect(await calls.verify({ ...again, maxAmount: "4" })).toMatchObject({ status: 409 });
      expect(await balanceOf(market)).toMatchObject({ held: 5n });
    });

    test("is not found again by a call of another URL under its id", async () => {
      const { market, calls } = await marketOf({ credits: getFixedCreditsConfig(10n, 4n) });
      const agentRequestId = await hold(calls);
      const requirement = requirementOf(market);
      const verified = (url: string) =>
        calls.verify({
          reserve: true,
          agentRequestId,
          requirement: { ...requirement, resource: { ...requirement.resource, url } },
        });
      const url = requirement.resource?.url ?? "";
      expect((await verified(url)).body).toMatchObject({ isValid: true, isRepeat: true });
      expect(await verified(`${url}/other`)).toMatchObject({
        status: 409,
        body: { code: "idempotency_conflict" },
      });
    });
  });

  test("a delegation orders only plans it covers, in its own currency", async () => {
    const token = [...service.ports.stableTokens.keys()][0] ?? "";
    const { market } = await marketOf({
      price: getErc20PriceConfig(1_000_000n, token, RECEIVER),
      order: false,
    });
    const { subscriber, planId } = market;
    const order = async (terms: { currency: string; planIds?: string[] }) => {
      const { delegationId } = await subscriber.payments.delegation.createDelegation({
        provider: "erc4337",
        spendingLimitCents: 1000,
        durationSecs: 3600,
        ...terms,
      });
      const path = `/protocol/plans/${planId}/order`;
      const answer = await service.call(subscriber, "POST", path, { delegationId });
      return [answer.status, (await answer.json()).details?.[0].path];
    };
    expect(await order({ currency: "eur" })).toEqual([422, "delegationId"]);
    expect(await order({ currency: "usd", planIds: ["77"] })).toEqual([422, "delegationId"]);
    expect(rail.paid()).toHaveLength(0);
    expect(await order({ currency: "usdc", planIds: [planId] })).toEqual([200, undefined]);
    expect(rail.paid()).toHaveLength(1);
  });

  describe("an order's Idempotency-Key", () => {
    const order = async (party: TestParty, planId: string, key: string, body: object = {}) => {
      const answer = await service.fetch(`${TEST_ORIGIN}/api/v1/protocol/plans/${planId}/order`, {
        method: "POST",
        headers: { authorization: `Bearer ${party.apiKey}`, "idempotency-key": key },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: await answer.json() };
    };
    const same = ({ body: { orderId } }: Awaited<ReturnType<typeof order>>) => ({
      status: 200,
      body: { orderId, success: true },
    });
    const paidMarket = () =>
      marketOf({
        price: getErc20PriceConfig(
          1_000_000n,
          [...service.ports.stableTokens.keys()][0] ?? "",
          RECEIVER,
        ),
        credits: getFixedCreditsConfig(10n, 1n),
        order: false,
      });

    test("names one order: 50 at once pay once and grant once", async () => {
      const { market } = await paidMarket();
      const { subscriber, planId } = market;
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => order(subscriber, planId, "order-once")),
      );
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      expect(new Set(answers.map(({ body }) => body.orderId)).size).toBe(1);
      expect(rail.paid()).toHaveLength(1);
      expect(await balanceOf(market)).toMatchObject({ balance: 10n });
      const later = await order(subscriber, planId, "order-once");
      expect(later.body).toMatchObject({ success: true, status: "minted" });
      expect((await order(subscriber, planId, "order-twice")).body.orderId).not.toBe(
        later.body.orderId,
      );
      expect(await balanceOf(market)).toMatchObject({ balance: 20n });
    });

    test("is a conflict for another plan or another body, and another account's own", async () => {
      const { market } = await paidMarket();
      const { market: other } = await paidMarket();
      const { subscriber, planId, builder } = market;
      const first = await order(subscriber, planId, "mine");
      for (const clash of [
        await order(subscriber, other.planId, "mine"),
        await order(subscriber, planId, "mine", { providerPaymentMethodId: "pm_other" }),
      ]) {
        expect(clash).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
      }
      const others = await order(builder, planId, "mine");
      expect(others.body.orderId).not.toBe(first.body.orderId);
      expect(rail.paid()).toHaveLength(2);
    });

    test("finds its order however the plan ends", async () => {
      const { market } = await paidMarket();
      const { subscriber, builder, planId } = market;
      const first = await order(subscriber, planId, "ended");
      await builder.payments.plans.updatePlan(planId, { state: "draft" });
      expect(await order(subscriber, planId, "ended")).toMatchObject(same(first));
      await builder.payments.plans.archivePlan(planId);
      expect(await order(subscriber, planId, "ended")).toMatchObject(same(first));
      expect((await order(subscriber, planId, "another")).status).not.toBe(200);
      expect(rail.paid()).toHaveLength(1);
    });

    test("finds its order by a key that replaced the one that ordered, with another root limit", async () => {
      Object.assign(rail, { needsOwnerSignature: true });
      const { market } = await paidMarket();
      const { subscriber, planId } = market;
      const byNewKey = async () => {
        const rootLimit = { spendingLimitCents: 1000n, durationSecs: 86_400 };
        const made = await subscriber.payments.apiKeys.createApiKey({ name: "worker", rootLimit });
        return order({ ...subscriber, apiKey: made.apiKey }, planId, "by-key");
      };
      const first = await byNewKey();
      expect(first).toMatchObject({ status: 200, body: { success: true } });
      expect(await byNewKey()).toMatchObject(same(first));
      expect(rail.paid()).toHaveLength(1);
    });

    test("finds an order whose payment's outcome is not known, and never pays again", async () => {
      const { market } = await paidMarket();
      const { subscriber, planId } = market;
      rail.setEnding("lose the answer");
      const first = await order(subscriber, planId, "unknown");
      expect(first.body).toMatchObject({ success: false, status: "charging" });
      rail.setEnding("pay");
      const again = await order(subscriber, planId, "unknown");
      expect(again.body.orderId).toBe(first.body.orderId);
      expect(rail.paid()).toHaveLength(1);
    });

    test("of a refused payment is refused again, another key may pay", async () => {
      const { market } = await paidMarket();
      const { subscriber, planId } = market;
      rail.setEnding("refuse");
      const first = await order(subscriber, planId, "refused");
      expect(first).toMatchObject({ status: 402, body: { code: "payment_refused" } });
      rail.setEnding("pay");
      expect((await order(subscriber, planId, "refused")).status).toBe(402);
      expect((await order(subscriber, planId, "retry")).body).toMatchObject({ success: true });
      expect(rail.paid()).toHaveLength(1);
    });
  });
});
