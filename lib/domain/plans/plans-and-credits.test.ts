import {
  getDynamicCreditsConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  getNonExpirableDurationConfig,
  PlanRedemptionType,
  setRedemptionType,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const DAY = 86_400;

describe.each(ruleStores())("plans and their credits on $name", ({ open }) => {
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

  const balanceOf = ({ subscriber, planId }: TestMarket) =>
    subscriber.payments.plans.getPlanBalance(planId);
  const pass = (seconds: number) => service.ports.clock.advance(seconds);
  const sweep = async () => {
    while ((await service.ports.ledger.sweep()) > 0);
  };
  async function marketOf(terms: Parameters<typeof createMarket>[1]) {
    const market = await createMarket(service, terms);
    return { market, calls: createPermissionCalls(service, market) };
  }
  async function timeMarket(credits: ReturnType<typeof getExpirableDurationConfig>) {
    const { market } = await marketOf({});
    const { planId } = await market.builder.payments.plans.registerTimePlan(
      { name: "Time" },
      getFreePriceConfig(),
      credits,
    );
    await market.builder.payments.agents.addPlanToAgent(market.agentId, planId);
    await market.subscriber.payments.plans.orderPlan(planId);
    return { ...market, planId };
  }
  const freshToken = async (market: TestMarket) =>
    (await market.subscriber.payments.x402.getX402AccessToken(market.planId, market.agentId))
      .accessToken;

  test("a fixed plan takes its price; a higher cap changes nothing, a lower one is 422", async () => {
    const { market, calls } = await marketOf({ credits: getFixedCreditsConfig(100n, 7n) });
    for (const question of [{}, { maxAmount: "7" }, { maxAmount: "1000" }]) {
      expect((await calls.settle(question)).body).toMatchObject({ creditsRedeemed: "7" });
    }
    expect(await calls.settle({ maxAmount: "6" })).toMatchObject({
      status: 422,
      body: { code: "invalid_amount" },
    });
    expect(await balanceOf(market)).toMatchObject({ balance: 79n });
  });

  test("a dynamic plan takes what is asked within its range, its minimum when nothing is", async () => {
    const { market, calls } = await marketOf({ credits: getDynamicCreditsConfig(100n, 2n, 10n) });
    const taken = [{}, { maxAmount: "2" }, { maxAmount: "5" }, { maxAmount: "10" }];
    for (const [index, question] of taken.entries()) {
      const { body } = await calls.settle(question);
      expect(body).toMatchObject({ creditsRedeemed: ["2", "2", "5", "10"][index] });
    }
    for (const maxAmount of ["0", "1", "11"]) {
      expect((await calls.settle({ maxAmount })).status).toBe(422);
    }
    expect(await balanceOf(market)).toMatchObject({ balance: 81n });
  });

  test("T45: amounts of 2^256-1 are counted to the last credit", async () => {
    const most = 2n ** 256n - 1n;
    const { market, calls } = await marketOf({ credits: getDynamicCreditsConfig(most, 1n, most) });
    expect(await balanceOf(market)).toMatchObject({ balance: most });
    expect((await calls.settle({ maxAmount: "1" })).body).toMatchObject({
      remainingBalance: (most - 1n).toString(),
    });
    expect((await calls.settle({ maxAmount: most.toString() })).body).toMatchObject({
      errorReason: "insufficient_balance",
    });
    const rest = (most - 1n).toString();
    expect((await calls.settle({ maxAmount: rest })).body).toMatchObject({
      creditsRedeemed: rest,
      remainingBalance: "0",
    });
  });

  test("a time plan gives access until its end, counts redemptions and burns nothing", async () => {
    const market = await timeMarket(getExpirableDurationConfig(BigInt(DAY / 2)));
    const { accessToken, tokenId } = await market.subscriber.payments.x402.getX402AccessToken(
      market.planId,
      market.agentId,
    );
    const calls = createPermissionCalls(service, { ...market, token: accessToken });
    for (let count = 0; count < 3; count++) {
      expect((await calls.settle({ maxAmount: "5" })).body).toMatchObject({
        success: true,
        creditsRedeemed: "0",
        remainingBalance: "1",
      });
    }
    const token = await service.ports.tokens.find(tokenId);
    expect(token).toMatchObject({ redeemed: 3 });
    expect(await balanceOf(market)).toMatchObject({ balance: 1n, isSubscriber: true });
    await pass(DAY / 2 - 60);
    expect((await calls.verify()).body).toMatchObject({ isValid: true });
    await pass(61);
    expect(await calls.codes({})).toEqual({
      verify: "insufficient_balance",
      settle: "insufficient_balance",
    });
    expect(await balanceOf(market)).toMatchObject({ balance: 0n, isSubscriber: false });
    await sweep();
    expect(await balanceOf(market)).toMatchObject({ balance: 0n, isSubscriber: false });
  });

  test("ordering a time plan again extends it from its end, and from now once it is over", async () => {
    const market = await timeMarket(getExpirableDurationConfig(BigInt(DAY)));
    const end = async () => Date.parse((await balanceOf(market)).expiresAt ?? "");
    const now = async () => (await service.ports.clock.now()).getTime();
    const first = await end();
    await market.subscriber.payments.plans.orderPlan(market.planId);
    expect(await end()).toBe(first + DAY * 1000);
    expect(await balanceOf(market)).toMatchObject({ balance: 1n });
    await pass(3 * DAY);
    await sweep();
    await market.subscriber.payments.plans.orderPlan(market.planId);
    expect(Math.abs((await end()) - (await now()) - DAY * 1000)).toBeLessThan(5_000);
    const calls = createPermissionCalls(service, { ...market, token: await freshToken(market) });
    expect((await calls.settle()).body).toMatchObject({ success: true, creditsRedeemed: "0" });
  });

  test("a repeat of an order answers as the order did, with the balance of now", async () => {
    const { market, calls } = await marketOf({ credits: getFixedCreditsConfig(100n, 1n) });
    const idempotencyKey = "order-repeat-00001";
    const repeat = () =>
      market.subscriber.payments.plans.orderPlan(market.planId, { idempotencyKey });
    const first = await repeat();
    expect(first).toMatchObject({ success: true, balance: 200n });
    expect(await repeat()).toEqual(first);
    await calls.settle();
    expect(await repeat()).toEqual({ ...first, balance: 199n });
  });

  test.each(["top-up/x/9000000", "renewal/x/1700000000000/0"])(
    "an order is not named as the service's own, %s, but one of an earlier release is found",
    async (idempotencyKey) => {
      const { market } = await marketOf({ credits: getFixedCreditsConfig(100n, 1n) });
      const order = (key: string) =>
        market.subscriber.payments.plans.orderPlan(market.planId, { idempotencyKey: key });
      await expect(order(idempotencyKey)).rejects.toMatchObject({
        code: "invalid_input",
        details: [{ path: "idempotencyKey" }],
      });
      const first = await order("earlier");
      const key = "update orders set idempotency_key = $1 where order_id = $2";
      await database.query(key, [idempotencyKey, first.orderId]);
      expect(await order(idempotencyKey)).toEqual(first);
    },
  );

  test("a time plan without a duration never ends", async () => {
    const market = await timeMarket(getNonExpirableDurationConfig());
    await pass(3650 * DAY);
    await sweep();
    expect(await balanceOf(market)).toMatchObject({ balance: 1n, isSubscriber: true });
    const later = await service.party();
    expect(later.address).not.toBe(market.subscriber.address);
  });

  test("expiring credits are gone at their end, by the clock before any sweep; others stay", async () => {
    const expiring = { ...getFixedCreditsConfig(10n, 1n), durationSecs: 3600n };
    const [{ market, calls }, lasting] = [
      await marketOf({ credits: expiring }),
      await marketOf({ credits: getFixedCreditsConfig(10n, 1n) }),
    ];
    const held = await calls.verify({ reserve: true, agentRequestId: "expiring-hold-0001" });
    expect(held.body).toMatchObject({ isValid: true });
    await pass(3601);
    expect((await calls.settle()).body).toMatchObject({ errorReason: "insufficient_balance" });
    await sweep();
    const { body } = await lasting.calls.settle();
    expect(body).toMatchObject({ success: true });
    expect(await balanceOf(market)).toMatchObject({ balance: 0n, isSubscriber: false });
    await market.subscriber.payments.plans.orderPlan(market.planId);
    expect(await balanceOf(market)).toMatchObject({ balance: 10n, isSubscriber: true });
  });

  test("T54: a trial is ordered once, a free plan as often as one likes", async () => {
    const { market } = await marketOf({ isTrial: true });
    await expect(market.subscriber.payments.plans.orderPlan(market.planId)).rejects.toMatchObject({
      code: "already_ordered",
      httpStatus: 409,
    });
    expect(await balanceOf(market)).toMatchObject({ balance: 100n });
    const free = await marketOf({});
    await free.market.subscriber.payments.plans.orderPlan(free.market.planId);
    expect(await balanceOf(free.market)).toMatchObject({ balance: 200n });
  });

  test("who may redeem is as the plan says: operator, owner, the role, or owner with the token", async () => {
    const [operator, redeemer] = [await service.party({ isOperator: true }), await service.party()];
    const { ONLY_GLOBAL_ROLE, ONLY_OWNER, ONLY_PLAN_ROLE, ONLY_SUBSCRIBER } = PlanRedemptionType;
    const allowed = {
      [ONLY_GLOBAL_ROLE]: ["operator"],
      [ONLY_OWNER]: ["builder"],
      [ONLY_PLAN_ROLE]: ["redeemer"],
      [ONLY_SUBSCRIBER]: ["builder"],
    };
    for (const type of [ONLY_GLOBAL_ROLE, ONLY_OWNER, ONLY_PLAN_ROLE, ONLY_SUBSCRIBER] as const) {
      const credits = setRedemptionType(getFixedCreditsConfig(100n, 1n), type);
      const { market, calls } = await marketOf({ credits });
      const { builder, subscriber, planId } = market;
      const change = { redeemers: [redeemer.address, redeemer.address] };
      const updated = await service.call(builder, "PUT", `/protocol/plans/${planId}`, change);
      expect(updated.status).toBe(200);
      const callers = { operator, builder, redeemer, subscriber };
      for (const [who, caller] of Object.entries(callers)) {
        const { body } = await calls.settle({ caller });
        const { body: held } = await calls.verify({ caller, reserve: true });
        expect([type, who, body.success, held.isValid]).toEqual([
          type,
          who,
          allowed[type].includes(who),
          allowed[type].includes(who),
        ]);
        if (!body.success) expect(body.errorReason).toBe("invalid_plan");
      }
      // One may always look at one's own token.
      expect((await calls.verify({ caller: subscriber })).body).toMatchObject({ isValid: true });
    }
  });

  test("a new version leaves earlier buyers their terms until they order again", async () => {
    const { market, calls } = await marketOf({ credits: getFixedCreditsConfig(100n, 1n) });
    const { builder, subscriber, planId } = market;
    const held = "version-hold-00001";
    await calls.verify({ reserve: true, agentRequestId: held });
    const plan = await builder.payments.plans.updatePlan(planId, {
      creditsConfig: getFixedCreditsConfig(50n, 5n),
    });
    expect(plan).toMatchObject({ version: 2, registry: { credits: { minAmount: 5n } } });
    expect((await calls.settle()).body).toMatchObject({ creditsRedeemed: "1" });
    await subscriber.payments.plans.orderPlan(planId);
    expect((await calls.settle()).body).toMatchObject({ creditsRedeemed: "5" });
    // A request held at the old price is settled at it.
    expect((await calls.settle({ agentRequestId: held })).body).toMatchObject({
      success: true,
      creditsRedeemed: "1",
    });
    expect(await balanceOf(market)).toMatchObject({ balance: 143n, held: 0n });
    const renamed = await builder.payments.plans.updatePlan(planId, {
      metadataAttributes: { name: "Renamed" },
    });
    expect(renamed).toMatchObject({ version: 2, metadata: { main: { name: "Renamed" } } });
  });
});
