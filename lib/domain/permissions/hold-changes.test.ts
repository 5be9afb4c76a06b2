import {
  getDynamicCreditsConfig,
  getFixedCreditsConfig,
  type PlanCreditsConfig,
  PlanRedemptionType,
  setRedemptionType,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls, type Question } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

/** What changes between the reading of a request's facts, its hold and its settlement. */
describe.each(ruleStores())("holds while things change on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  let calls: ReturnType<typeof createPermissionCalls>;

  beforeAll(async () => {
    database = await open();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  async function begin(credits: PlanCreditsConfig, more: { leaseSecs?: number } = {}) {
    service = createTestService(database);
    market = await createMarket(service, { credits, ...more });
    calls = createPermissionCalls(service, market);
  }
  const reserve = async (question: Question) => {
    const verified = await calls.verify({ ...question, reserve: true });
    expect(verified.body).toMatchObject({ isValid: true });
  };
  const balance = async () => {
    const { balance, held } = await market.subscriber.payments.plans.getPlanBalance(market.planId);
    return [balance, held];
  };

  describe("between a settle's reading and its writing", () => {
    beforeEach(() => begin(getFixedCreditsConfig(10n, 4n)));

    /** Does something once, when the next settle has read and decided. */
    const beforeWriting = (act: () => Promise<unknown>) => {
      const { ledger } = service.ports;
      const { settle } = ledger;
      ledger.settle = async (row) => {
        ledger.settle = settle;
        await act();
        return settle(row);
      };
    };

    test("T14: credits reserved for another token under the same id are not settled beside", async () => {
      const { accessToken } = await market.subscriber.payments.x402.getX402AccessToken(
        market.planId,
        market.agentId,
        { redemptionLimit: 5 },
      );
      const agentRequestId = freshId();
      beforeWriting(() => reserve({ agentRequestId, token: accessToken }));
      const settled = await calls.settle({ agentRequestId });
      expect(settled).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
      expect(await balance()).toEqual([10n, 4n]);
      const own = await calls.settle({ agentRequestId, token: accessToken });
      expect(own.body).toMatchObject({ success: true, remainingBalance: "6" });
      expect(await balance()).toEqual([6n, 0n]);
    });

    test("T14: credits reserved for the same token are the ones that are settled", async () => {
      const agentRequestId = freshId();
      beforeWriting(() => reserve({ agentRequestId }));
      const settled = await calls.settle({ agentRequestId });
      expect(settled.body).toMatchObject({ success: true, remainingBalance: "6" });
      expect(await balance()).toEqual([6n, 0n]);
    });

    test("a request reserved and released as not delivered takes nothing", async () => {
      const agentRequestId = freshId();
      beforeWriting(async () => {
        await reserve({ agentRequestId });
        await market.builder.payments.facilitator.releasePermissions({ agentRequestId });
      });
      expect(await calls.settle({ agentRequestId })).toMatchObject({ status: 409 });
      expect(await balance()).toEqual([10n, 0n]);
    });
  });

  describe("when the terms or redeemers of the plan change", () => {
    /** The builder changes the terms, and the subscriber orders them. */
    async function orderVersion(creditsConfig: PlanCreditsConfig) {
      await market.builder.payments.plans.updatePlan(market.planId, { creditsConfig });
      await market.subscriber.payments.plans.orderPlan(market.planId);
    }
    /** Where verify's facts are not kept. */
    const elsewhere = () => createPermissionCalls(createTestService(database), market);

    test("who could redeem the version of the reservation settles it", async () => {
      const terms = getFixedCreditsConfig(10n, 4n);
      await begin(terms);
      const agentRequestId = freshId();
      await reserve({ agentRequestId });
      await orderVersion(setRedemptionType(terms, PlanRedemptionType.ONLY_PLAN_ROLE));
      expect((await elsewhere().settle({ agentRequestId })).body).toMatchObject({
        success: true,
        creditsRedeemed: "4",
      });
      expect((await elsewhere().settle()).body).toMatchObject({ errorReason: "invalid_plan" });
      expect(await balance()).toEqual([16n, 0n]);
    });

    test("who is removed as a redeemer settles neither by token nor by record", async () => {
      await begin(
        setRedemptionType(getFixedCreditsConfig(10n, 4n), PlanRedemptionType.ONLY_PLAN_ROLE),
      );
      const { builder, planId } = market;
      const member = await service.party();
      const letRedeem = (redeemers: string[]) =>
        builder.payments.plans.updatePlan(planId, { redeemers });
      const { requests } = member.payments;
      const [ended, kept, held] = [freshId(), freshId(), freshId()];
      await letRedeem([member.address]);
      for (const agentRequestId of [ended, kept])
        await calls.verify({ reserve: true, agentRequestId, caller: member });
      await service.ports.clock.advance(3_600);
      while ((await service.ports.ledger.sweep()) > 0);
      await calls.verify({ reserve: true, agentRequestId: held, caller: member });
      await letRedeem([]);
      const refused = { success: false, errorReason: "invalid_plan" };
      for (const agentRequestId of [ended, held]) {
        expect((await elsewhere().settle({ agentRequestId, caller: member })).body).toMatchObject(
          refused,
        );
        expect(await requests.settleRequest(agentRequestId)).toMatchObject(refused);
      }
      await letRedeem([member.address]);
      expect(await requests.settleRequest(kept)).toMatchObject({ creditsRedeemed: "4" });
    });

    test("who is removed as a redeemer settles nothing more from a lease", async () => {
      await begin(
        setRedemptionType(getFixedCreditsConfig(100n, 2n), PlanRedemptionType.ONLY_PLAN_ROLE),
        { leaseSecs: 60 },
      );
      const { builder, planId } = market;
      const member = await service.party();
      const letRedeem = (redeemers: string[]) =>
        builder.payments.plans.updatePlan(planId, { redeemers });
      const { facilitator } = member.payments;
      await letRedeem([member.address]);
      await calls.settle({ caller: member });
      const { leaseId = "" } = await facilitator.leasePermissions({
        paymentRequired: requirementOf(market),
        x402AccessToken: market.token,
        requests: 3,
        seconds: 60,
      });
      const settle = async (agentRequestId: string) =>
        (await facilitator.settleBatch({ items: [{ leaseId, agentRequestId }] })).items[0];
      const [before, after] = [freshId(), freshId()];
      const charged = { success: true, creditsRedeemed: "2" };
      expect(await settle(before)).toMatchObject(charged);
      await letRedeem([]);
      expect(await settle(after)).toMatchObject({ success: false, errorReason: "conflict" });
      // What was charged before the removal is answered.
      expect(await settle(before)).toMatchObject(charged);
      await letRedeem([member.address]);
      expect(await settle(after)).toMatchObject(charged);
    });

    test("the range of the version of the reservation holds, by token and by record", async () => {
      await begin(getDynamicCreditsConfig(20n, 1n, 6n));
      const [byToken, least, byRecord] = [freshId(), freshId(), freshId()];
      await reserve({ agentRequestId: byToken, maxAmount: "5" });
      await reserve({ agentRequestId: least, maxAmount: "5" });
      await reserve({ agentRequestId: byRecord, maxAmount: "5" });
      await orderVersion(getDynamicCreditsConfig(20n, 4n, 9n));
      const settled = await elsewhere().settle({ agentRequestId: byToken, maxAmount: "2" });
      expect(settled.body).toMatchObject({ creditsRedeemed: "2" });
      expect((await elsewhere().settle({ agentRequestId: least })).body).toMatchObject({
        creditsRedeemed: "1",
      });
      const { requests } = market.builder.payments;
      expect(await requests.settleRequest(byRecord, 2n)).toMatchObject({ creditsRedeemed: "2" });
      expect(await balance()).toEqual([35n, 0n]);
    });
  });
});
