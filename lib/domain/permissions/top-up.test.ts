import {
  getCryptoPriceConfig,
  getErc20PriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  type PlanPriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { CashRail } from "@/lib/domain/testing/cash-rail.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { codeOf, createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import { createPretendRail } from "@/lib/server/testing/pretend-rail.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { firstCases, inFull, longTest } from "@/lib/testing/in-full.ts";
import { resolveOrders } from "../orders/resolve-orders.ts";

const CROWD = inFull(100, 12);
const RECEIVER = "0x000000000000000000000000000000000000dEaD";

describe.each(ruleStores())("topping up at settle on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let rail: CashRail;
  let usdc: string;

  beforeAll(async () => {
    database = await open();
  });
  // A new rail for each test, so that each counts its own payments.
  beforeEach(() => {
    rail = createPretendRail(undefined, { delayMs: () => Math.random() * 8 });
    service = createTestService(database, { rails: [rail] });
    usdc = [...service.ports.stableTokens.keys()][0] ?? "";
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** A plan of 1.00 USDC for ten credits, nothing ordered yet, and a token with these limits. */
  async function marketWith(
    options: object,
    price: PlanPriceConfig = getErc20PriceConfig(1_000_000n, usdc, RECEIVER),
    credits = getFixedCreditsConfig(10n, 10n),
  ) {
    const market = await createMarket(service, { price, credits, order: false });
    const { subscriber, planId, agentId } = market;
    const minted = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
      redemptionLimit: 1000,
      ...options,
    });
    const token = { ...market, token: minted.accessToken, tokenId: minted.tokenId };
    return { market: token, calls: createPermissionCalls(service, token), ...minted };
  }
  const delegationConfig = (limits: object = {}) => ({
    delegationConfig: { spendingLimitCents: 100_000, durationSecs: 3600, ...limits },
  });
  const settleAtOnce = (calls: ReturnType<typeof createPermissionCalls>, count: number) =>
    Promise.all(Array.from({ length: count }, () => calls.settle()));
  const balanceOf = ({ subscriber, planId }: TestMarket) =>
    subscriber.payments.plans.getPlanBalance(planId);

  test("orders the plan, settles, and answers with the order's payment", async () => {
    const { market, calls } = await marketWith(delegationConfig());
    expect((await calls.verify()).body).toMatchObject({ isValid: true, needsOrder: true });
    expect(rail.charges()).toBe(0);
    const agentRequestId = freshId();
    const { body } = await calls.settle({ agentRequestId });
    const [order] = rail.paid();
    expect(body).toMatchObject({
      success: true,
      creditsRedeemed: "10",
      remainingBalance: "0",
      orderTx: `cash_${order?.orderId}`,
    });
    expect((await calls.settle({ agentRequestId })).body).toEqual(body);
    expect(rail.paid()).toHaveLength(1);
    expect(await balanceOf(market)).toMatchObject({ balance: 0n, isSubscriber: true });
  });

  test("a verify that reserves orders first, so that settling cannot fail", async () => {
    const { calls } = await marketWith(delegationConfig());
    const agentRequestId = freshId();
    const { body } = await calls.verify({ reserve: true, agentRequestId });
    expect(body).toMatchObject({ isValid: true });
    expect(rail.paid()).toHaveLength(1);
    const [order] = rail.paid();
    expect((await calls.settle({ agentRequestId })).body).toMatchObject({
      success: true,
      orderTx: `cash_${order?.orderId}`,
    });
    expect(rail.paid()).toHaveLength(1);
  });

  test("a call that is tried again after it failed names the order of its first try, settled by another replica", async () => {
    const { market, calls } = await marketWith(delegationConfig());
    const agentRequestId = freshId();
    await calls.verify({ reserve: true, agentRequestId });
    await market.builder.payments.facilitator.releasePermissions({ agentRequestId });
    expect((await calls.verify({ reserve: true, agentRequestId })).body).toMatchObject({
      isValid: true,
    });
    const [order] = rail.paid();
    const other = createPermissionCalls(
      createTestService(service.database, { rails: [rail] }),
      market,
    );
    expect((await other.settle({ agentRequestId })).body).toMatchObject({
      success: true,
      orderTx: `cash_${order?.orderId}`,
    });
    expect(rail.paid()).toHaveLength(1);
  });

  test.each([
    ["verified", true],
    ["settled", false],
  ])(
    "a call that is %s again after the answer to its payment was lost names the order that paid it",
    async (_what, isVerified) => {
      const { calls } = await marketWith(delegationConfig());
      const agentRequestId = freshId();
      const ask = () =>
        isVerified
          ? calls.verify({ reserve: true, agentRequestId })
          : calls.settle({ agentRequestId });
      rail.setEnding("lose the answer");
      expect(codeOf((await ask()).body)).toBe("outcome_unknown");
      rail.setEnding("pay");
      await service.ports.clock.advance(31);
      await resolveOrders(service.ports);
      if (isVerified) expect((await ask()).body).toMatchObject({ isValid: true });
      const [order] = rail.paid();
      expect((await calls.settle({ agentRequestId })).body).toMatchObject({
        success: true,
        orderTx: `cash_${order?.orderId}`,
      });
      expect(rail.paid()).toHaveLength(1);
    },
  );

  test.each(["with its token", "from its record"])(
    "a call that is settled %s after its reservation expired names its order",
    async (how) => {
      const { market, calls } = await marketWith(delegationConfig());
      const agentRequestId = freshId();
      await calls.verify({ reserve: true, agentRequestId });
      const { requests } = market.builder.payments;
      await service.ports.clock.advance(310);
      await service.ports.ledger.sweep();
      const [order] = rail.paid();
      const settled =
        how === "from its record"
          ? await requests.settleRequest(agentRequestId)
          : (await calls.settle({ agentRequestId })).body;
      expect(settled).toMatchObject({ success: true, orderTx: `cash_${order?.orderId}` });
    },
  );

  test.each(
    firstCases(1, [
      ["the spending limit", delegationConfig({ spendingLimitCents: 700 }), 7],
      ["the most transactions", delegationConfig({ maxTransactions: 3 }), 3],
      ["the order limit", { ...delegationConfig(), orderLimit: "5999999" }, 5],
    ]),
  )(
    "a crowd at once never passes %s",
    async (_what, options, most) => {
      const { market, calls, delegationId } = await marketWith(options);
      const results = await settleAtOnce(calls, CROWD);
      expect(results.map(({ status }) => status)).toEqual(Array(CROWD).fill(200));
      expect(rail.paid()).toHaveLength(most);
      expect(results.filter(({ body }) => body.success)).toHaveLength(most);
      const refusals = results.filter(({ body }) => !body.success);
      for (const { body } of refusals) {
        expect(body).toMatchObject({ errorReason: "insufficient_balance" });
      }
      expect((await calls.settle()).body).toMatchObject({ errorReason: "insufficient_balance" });
      const answer = await service.call(market.subscriber, "GET", `/delegation/${delegationId}`);
      expect(await answer.json()).toMatchObject({
        amountSpentCents: String(most * 100),
        amountReservedCents: "0",
        transactionCount: most,
      });
    },
    60_000,
  );

  longTest(
    "T55: several tokens of one delegation share its limits",
    async () => {
      const { market, calls, delegationId } = await marketWith(
        delegationConfig({ spendingLimitCents: 500 }),
      );
      const { subscriber, planId, agentId } = market;
      const second = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
        delegationConfig: { delegationId },
      });
      await Promise.all([
        ...Array.from({ length: 20 }, () => calls.settle()),
        ...Array.from({ length: 20 }, () => calls.settle({ token: second.accessToken })),
      ]);
      expect(rail.paid()).toHaveLength(5);
    },
    30_000,
  );

  test("a refused payment is insufficient_balance, and gives the limit back", async () => {
    const { market, calls, delegationId } = await marketWith(
      delegationConfig({ spendingLimitCents: 100, maxTransactions: 1 }),
    );
    rail.setEnding("refuse");
    const agentRequestId = freshId();
    const { body } = await calls.settle({ agentRequestId });
    expect(body).toMatchObject({
      success: false,
      errorReason: "insufficient_balance",
      detail: "declined",
    });
    const answer = await service.call(market.subscriber, "GET", `/delegation/${delegationId}`);
    expect(await answer.json()).toMatchObject({
      amountReservedCents: "0",
      amountSpentCents: "0",
      transactionCount: 0,
    });
    rail.setEnding("pay");
    // A refusal is final for its request: a repeat asks the bank nothing. The next request does.
    expect((await calls.settle({ agentRequestId })).body).toMatchObject({
      success: false,
      detail: "declined",
    });
    expect((await calls.settle()).body).toMatchObject({ success: true });
  });

  test.each([
    ["delegation_expired", async () => service.ports.clock.advance(3601)],
    [
      "token_revoked",
      ({ subscriber, tokenId }: TestMarket) => subscriber.payments.tokens.revokeToken(tokenId),
    ],
  ])("what ends between the decision and the order is named: %s", async (detail, end) => {
    const { market, calls } = await marketWith(delegationConfig());
    const { orders } = service.ports;
    const { reserveTopUp } = orders;
    orders.reserveTopUp = async (...parts) => {
      await end(market);
      return reserveTopUp(...parts);
    };
    expect((await calls.settle()).body).toMatchObject({ success: false, detail });
    expect(rail.charges()).toBe(0);
  });

  test("a request whose payments failed for a time is paid once the processor is back", async () => {
    const { calls } = await marketWith(delegationConfig());
    const { charge } = rail;
    const failing = vi.fn(async () => {
      return { status: "refused", code: "processor_unavailable", message: "" } as const;
    });
    rail.charge = failing;
    const agentRequestId = freshId();
    for (let time = 0; time < 9; time++) {
      expect((await calls.settle({ agentRequestId })).body).toMatchObject({ detail: "declined" });
    }
    expect(failing).toHaveBeenCalledTimes(5);
    await service.ports.clock.advance(61);
    for (let time = 0; time < 3; time++) await calls.settle({ agentRequestId });
    expect(failing).toHaveBeenCalledTimes(6);
    rail.charge = charge;
    await service.ports.clock.advance(121);
    expect((await calls.settle({ agentRequestId })).body).toMatchObject({ success: true });
    expect(rail.paid()).toHaveLength(1);
  });

  longTest("a request whose payments keep failing is tried at least daily", async () => {
    const { market, calls } = await marketWith(delegationConfig());
    const { subscriber, planId, agentId } = market;
    const failing = vi.fn(async () => {
      return { status: "refused", code: "processor_unavailable", message: "" } as const;
    });
    rail.charge = failing;
    const agentRequestId = freshId();
    for (let day = 0; day < 20; day++) {
      const options = { redemptionLimit: 10, ...delegationConfig() };
      const minted = await subscriber.payments.x402.getX402AccessToken(planId, agentId, options);
      await calls.settle({ agentRequestId, token: minted.accessToken });
      await service.ports.clock.advance(day < 4 ? 0 : 86_401);
    }
    expect(failing).toHaveBeenCalledTimes(20);
  });

  test.each([
    ["gas_budget", /gas that the service pays.*within 24 hours with a new request/],
    ["price_too_low", /below the service’s minimum.*another plan/],
    ["insufficient_funds", /cannot pay for more credits\. Add funds/],
    ["limit_exceeded", /limit on chain\. Create one with a higher limit/],
    ["grant_revoked", /revoked on chain.*Create a new one/],
    ["grant_ended", /expired on chain.*Create a new one/],
    ["not_permitted", /does not cover this plan/],
    ["paused", /paused on chain\. Try again later/],
    ["price_changed", /costs more now/],
  ])("T48: an order that its rail refuses as %s says so, with a remedy", async (code, text) => {
    const { calls } = await marketWith(delegationConfig());
    rail.charge = async () => ({ status: "refused", code, message: "" });
    const { body } = await calls.settle();
    expect(body).toMatchObject({
      errorReason: "insufficient_balance",
      cause: code,
      detail: code,
    });
    expect(body).toMatchObject({ errorMessage: expect.stringMatching(text) });
  });

  test.each(
    firstCases(1, [
      ["the spending limit", delegationConfig({ spendingLimitCents: 100 })],
      ["the most transactions", delegationConfig({ maxTransactions: 1 })],
      ["the order limit", { ...delegationConfig(), orderLimit: "1000000" }],
    ]),
  )(
    "the last order within %s refuses no request while its outcome is unknown: they wait for it",
    async (_what, options) => {
      const { calls } = await marketWith(options);
      rail.setEnding("lose the answer");
      service.ports.pause = () => Promise.resolve();
      const agentRequestId = freshId();
      const ask = async (id: string) => {
        const { status, body } = await calls.settle({ agentRequestId: id });
        return { status, code: codeOf(body) };
      };
      expect(await ask(agentRequestId)).toEqual({ status: 503, code: "outcome_unknown" });
      expect(await ask(agentRequestId)).toEqual({ status: 503, code: "unavailable" });
      expect(await ask(freshId())).toEqual({ status: 503, code: "unavailable" });
      expect(rail.paid()).toHaveLength(1);
      rail.setEnding("pay");
      await service.ports.clock.advance(31);
      await resolveOrders(service.ports);
      expect(await ask(agentRequestId)).toEqual({ status: 200, code: "ok" });
    },
  );

  test("tokens of two delegations that find too few credits at once order them once", async () => {
    const credits = getFixedCreditsConfig(100n, 1n);
    const { market, calls } = await marketWith(delegationConfig(), undefined, credits);
    const { subscriber, planId, agentId } = market;
    const tokens = await Promise.all(
      Array.from({ length: 8 }, () =>
        subscriber.payments.x402.getX402AccessToken(planId, agentId, delegationConfig()),
      ),
    );
    const answers = await Promise.all(
      tokens.map(({ accessToken }) =>
        calls.verify({ token: accessToken, reserve: true, agentRequestId: freshId() }),
      ),
    );
    for (const { body } of answers) expect(body).toMatchObject({ isValid: true });
    expect(rail.paid()).toHaveLength(1);
  });

  test.each(firstCases(1, ["lose the answer", "lose the request"] as const))(
    "when payments %s the outcome is unknown: 503, the reservation stays, and it is paid once",
    async (ending) => {
      const { market, calls, delegationId } = await marketWith(
        delegationConfig({ spendingLimitCents: 1000 }),
      );
      const delegation = async () =>
        (await service.call(market.subscriber, "GET", `/delegation/${delegationId}`)).json();
      rail.setEnding(ending);
      const agentRequestId = freshId();
      const ask = async () => {
        const { status, body } = await calls.settle({ agentRequestId });
        expect(status).toBe(503);
        return (body as { code?: string }).code;
      };
      expect(await ask()).toBe("outcome_unknown");
      expect(await delegation()).toMatchObject({
        amountReservedCents: "100",
        amountSpentCents: "0",
      });
      // While the outcome is unknown, neither a repeat nor another request charges again.
      service.ports.pause = () => Promise.resolve();
      await ask();
      expect((await calls.settle()).status).toBe(503);
      expect(await delegation()).toMatchObject({ amountReservedCents: "100", transactionCount: 1 });
      expect(rail.paid().length).toBeLessThanOrEqual(1);

      rail.setEnding("pay");
      expect(await resolveOrders(service.ports)).toBe(0);
      await service.call(market.subscriber, "POST", "/sandbox/clock", { seconds: 31 });
      await resolveOrders(service.ports);
      expect(rail.paid()).toHaveLength(1);
      expect(await balanceOf(market)).toMatchObject({ balance: 10n });
      expect(await delegation()).toMatchObject({
        amountReservedCents: "0",
        amountSpentCents: "100",
      });
      expect((await calls.settle({ agentRequestId })).body).toMatchObject({ success: true });
      expect(rail.paid()).toHaveLength(1);
    },
  );

  test("a delegation in usdc pays prices in that stablecoin, one in eur does not", async () => {
    const { market } = await marketWith(delegationConfig());
    const { subscriber, planId, agentId } = market;
    const settleUnder = async (currency: string) => {
      const { delegationId } = await subscriber.payments.delegation.createDelegation({
        provider: "erc4337",
        spendingLimitCents: 1000,
        durationSecs: 3600,
        currency,
      });
      const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
        delegationConfig: { delegationId },
      });
      return createPermissionCalls(service, { ...market, token: accessToken }).settle();
    };
    expect((await settleUnder("usdc")).body).toMatchObject({ success: true });
    expect((await settleUnder("usd")).body).toMatchObject({ success: true });
    expect((await settleUnder("eur")).body).toMatchObject({
      errorReason: "insufficient_balance",
      detail: "currency_mismatch",
    });
  });

  test("a delegation with too little left is the cause, which no new token fixes", async () => {
    const { market, calls, delegationId } = await marketWith(
      delegationConfig({ spendingLimitCents: 150 }),
    );
    const { subscriber, planId, agentId } = market;
    expect((await calls.settle()).body).toMatchObject({ success: true });
    expect((await calls.settle()).body).toMatchObject({ detail: "spending_limit" });
    const { accessToken: token } = await subscriber.payments.x402.getX402AccessToken(
      planId,
      agentId,
      { delegationConfig: { delegationId } },
    );
    expect((await calls.settle({ token })).body).toMatchObject({ detail: "spending_limit" });
    const once = await marketWith({
      ...delegationConfig({ spendingLimitCents: 150 }),
      orderLimit: "1000000",
    });
    expect((await once.calls.settle()).body).toMatchObject({ success: true });
    expect((await once.calls.settle()).body).toMatchObject({ detail: "spending_limit" });
    // Where the token may order nothing, that is the cause, whatever the delegation has left.
    const orderless = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
      delegationConfig: { delegationId },
      orderLimit: 0n,
    });
    expect((await calls.settle({ token: orderless.accessToken })).body).toMatchObject({
      detail: "order_limit",
    });
    const lowered = await marketWith({ ...delegationConfig(), orderLimit: "1500000" });
    expect((await lowered.calls.settle()).body).toMatchObject({ success: true });
    expect((await lowered.calls.settle()).body).toMatchObject({ detail: "order_limit" });
  });

  test("a token without a par value is bounded by orderLimit alone, and by none without it", async () => {
    const price = getCryptoPriceConfig(40n, RECEIVER);
    const { calls } = await marketWith({ ...delegationConfig(), orderLimit: "100" }, price);
    const results = await settleAtOnce(calls, 20);
    expect(results.filter(({ body }) => body.success)).toHaveLength(2);
    expect(rail.paid()).toHaveLength(2);
    const none = await marketWith(delegationConfig(), price);
    expect((await none.calls.settle()).body).toMatchObject({ detail: "order_limit" });
  });

  test.each([
    ["no price", getFreePriceConfig()],
    ["a price of zero", getCryptoPriceConfig(0n, RECEIVER)],
  ])("a plan with %s is ordered by its first call, and never topped up", async (_what, price) => {
    const { market, calls } = await marketWith(delegationConfig(), price);
    expect((await calls.verify()).body).toMatchObject({ isValid: true, needsOrder: true });
    expect((await calls.settle()).body).toMatchObject({ success: true, remainingBalance: "0" });
    expect((await calls.settle()).body).toMatchObject({
      errorReason: "insufficient_balance",
      detail: "no_credits",
    });
    expect(await balanceOf(market)).toMatchObject({ balance: 0n });
    expect(rail.charges()).toBe(0);
  });

  test("another's draft sells nothing, and what was sold pays as before", async () => {
    const { market, calls } = await marketWith(delegationConfig());
    const { builder, planId } = market;
    const settled = { success: true };
    const refused = { errorReason: "insufficient_balance", detail: "plan_archived" };
    await builder.payments.plans.updatePlan(planId, { state: "draft" });
    expect((await calls.settle()).body).toMatchObject(refused);
    await builder.payments.plans.updatePlan(planId, { state: "unlisted" });
    expect((await calls.settle()).body).toMatchObject(settled);
    await builder.payments.plans.updatePlan(planId, { state: "draft" });
    expect((await calls.settle()).body).toMatchObject(refused);
    expect(rail.paid()).toHaveLength(1);
  });

  test("a trial plan is never topped up", async () => {
    const market = await createMarket(service, {
      price: getErc20PriceConfig(1_000_000n, usdc, RECEIVER),
      credits: getFixedCreditsConfig(1n, 1n),
      isTrial: true,
    });
    const trial = createPermissionCalls(service, market);
    expect((await trial.settle()).body).toMatchObject({ success: true });
    expect((await trial.settle()).body).toMatchObject({ detail: "trial_used_up" });
    expect(rail.paid()).toHaveLength(1);
  });
});
