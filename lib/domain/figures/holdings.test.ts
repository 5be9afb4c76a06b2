import {
  getCryptoPriceConfig,
  getDynamicCreditsConfig,
  getErc20PriceConfig,
  getFixedCreditsConfig,
  getNativeTokenPriceConfig,
  type PaymentsError,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { CashRail } from "@/lib/domain/testing/cash-rail.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { createPretendRail } from "@/lib/server/testing/pretend-rail.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";

describe.each(ruleStores())("what accounts have, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let rail: CashRail;
  let usdc: string;

  beforeAll(async () => {
    database = await open();
    rail = createPretendRail();
    service = createTestService(database, { rails: [rail] });
    usdc = [...service.ports.stableTokens.keys()][0] ?? "";
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const question = (market: TestMarket, agentRequestId: string) => ({
    paymentRequired: requirementOf(market),
    x402AccessToken: market.token,
    agentRequestId,
  });
  const settle = (market: TestMarket, id = freshId()) =>
    market.builder.payments.facilitator.settlePermissions(question(market, id));
  const hold = (market: TestMarket, id: string, maxAmount?: bigint) =>
    market.builder.payments.facilitator.verifyPermissions({
      ...question(market, id),
      reserve: true,
      ...(maxAmount && { maxAmount }),
    });
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => "none",
      (error: PaymentsError) => error.code,
    );

  describe("subscriptions, orders and tokens", () => {
    test("a subscription says what is available, on hold, used and left to its tokens", async () => {
      const market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 3n) });
      await settle(market);
      await hold(market, freshId());
      const { items, total } = await market.subscriber.payments.holdings.listSubscriptions();
      expect(total).toBe(1);
      expect(items[0]).toMatchObject({
        planId: market.planId,
        planName: "Starter",
        owner: market.builder.address,
        scheme: "svc:erc4337",
        isActive: true,
        available: "94",
        held: "3",
        minAmount: "3",
        orders: 1,
        creditsGranted: "100",
        creditsUsed: "3",
        requests30d: 1,
        creditsUsed30d: "3",
        activeTokens: 1,
      });
      expect((await market.builder.payments.holdings.listSubscriptions()).items).toEqual([]);
    });

    test("a subscription that is over says so at once", async () => {
      const { subscriber } = await createMarket(service, {
        credits: { ...getFixedCreditsConfig(100n, 1n), durationSecs: 60n },
      });
      const before = await subscriber.payments.holdings.listSubscriptions();
      expect(before.items[0]).toMatchObject({ isActive: true, available: "100" });
      await service.ports.clock.advance(61);
      const after = await subscriber.payments.holdings.listSubscriptions();
      expect(after.items[0]).toMatchObject({ available: "0", endsAt: before.items[0]?.endsAt });
    });

    test("subscriptions are paged without a gap", async () => {
      const markets = await Promise.all([1, 2, 3, 4, 5].map(() => createMarket(service)));
      const person = await service.party();
      for (const { planId } of markets) await person.payments.plans.orderPlan(planId);
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await person.payments.holdings.listSubscriptions({
          limit: 2,
          ...(cursor && { cursor }),
        });
        expect(page.total).toBe(5);
        found.push(...page.items.map(({ planId }) => planId));
        cursor = page.nextCursor;
      } while (cursor);
      expect(found.sort()).toEqual(markets.map(({ planId }) => planId).sort());
      expect(await codeOf(person.payments.holdings.listSubscriptions({ cursor: "x" }))).toBe(
        "invalid_input",
      );
    });

    test("a balance has credits of the first 1,000 plans, and says that there are more", async () => {
      const { builder, planId } = await createMarket(service, { order: false });
      const { address, payments } = await service.party();
      const give = (count: number) =>
        database.query(
          `with made as (insert into plans select (jsonb_populate_record(p, jsonb_build_object('plan_id', 10000 + n, 'nonce', 1e9 + n))).*
             from plans p, generate_series(1, $3::int) n where plan_id = $2 on conflict do nothing)
           insert into balances (account, plan_id, available, held, plan_version, seq, hash)
             select $1, (10000 + n)::text, n, 0, 1, 0, '' from generate_series(1, $3::int) n on conflict do nothing`,
          [address, planId, count],
        );
      await give(1_000);
      const full = await payments.money.getBalance();
      expect(full.credits).toHaveLength(1_000);
      expect(full.hasMoreCredits).toBeUndefined();
      await give(1_001);
      const more = await payments.money.getBalance();
      expect(more).toMatchObject({ credits: full.credits, hasMoreCredits: true });
      const first = { planId: "10001", planName: "Starter", available: "1", reserved: "0" };
      expect(more.credits[0]).toEqual(first);
      await database.query("delete from balances where account = $1", [address]);
      await database.query("delete from plans where owner = $1 and plan_id <> $2", [
        builder.address,
        planId,
      ]);
    });

    test("orders say price, reference and why they were refused", async () => {
      const market = await createMarket(service, {
        price: getErc20PriceConfig(2_500_000n, usdc, RECEIVER),
        order: false,
      });
      const { subscriber, planId } = market;
      const paid = await subscriber.payments.plans.orderPlan(planId);
      rail.setEnding("refuse");
      await codeOf(subscriber.payments.plans.orderPlan(planId));
      rail.setEnding("pay");
      const { items, total } = await subscriber.payments.holdings.listOrders({ planId });
      expect(total).toBe(2);
      const [refused, minted] = items;
      expect(minted).toMatchObject({
        orderId: paid.orderId,
        planName: "Starter",
        status: "minted",
        price: { currency: "usd", amount: "2500000", decimals: 6, value: "2.500000" },
        creditsGranted: "100",
        isTopUp: false,
        reference: paid.txHash,
      });
      expect(refused).toMatchObject({ status: "declined", failure: { code: "no_cash" } });
      const one = await subscriber.payments.holdings.listOrders({ orderId: paid.orderId });
      expect(one.items).toEqual([minted]);
      const declined = await subscriber.payments.holdings.listOrders({ status: "declined" });
      expect(declined.items).toHaveLength(1);
      expect((await market.builder.payments.holdings.listOrders()).items).toEqual([]);
    });

    test("a blank id filters nothing", async () => {
      const { payments } = (await createMarket(service)).subscriber;
      expect((await payments.holdings.listOrders({ orderId: "" })).total).toBe(1);
      expect((await payments.tokens.listTokens({ delegationId: "" })).total).toBe(1);
    });

    test("orders that calls made can be left out", async () => {
      const market = await createMarket(service, {
        price: getErc20PriceConfig(1_000_000n, usdc, RECEIVER),
        credits: getFixedCreditsConfig(1n, 1n),
      });
      for (const _ of [1, 2, 3]) await settle(market);
      const { holdings } = market.subscriber.payments;
      const all = await holdings.listOrders({ planId: market.planId });
      expect(all.items.map(({ isTopUp }) => isTopUp)).toEqual([true, true, false]);
      const own = await holdings.listOrders({ planId: market.planId, withoutTopUps: true });
      expect(own.items).toEqual(all.items.slice(-1));
    });

    test("a token says what is left of its limits, its delegation and when it last paid", async () => {
      const market = await createMarket(service, { redemptionLimit: 5 });
      await settle(market);
      await hold(market, freshId());
      const { tokens } = market.subscriber.payments;
      const [listed] = (await tokens.listTokens({ agentId: market.agentId })).items;
      expect(listed).toMatchObject({
        tokenId: market.tokenId,
        planName: "Starter",
        agentName: "Reader",
        status: "Active",
        redemptionsUsed: 1,
        redemptionsReserved: 1,
        redemptionsLeft: 3,
      });
      const details = await tokens.getToken(market.tokenId);
      expect(details).toMatchObject({ ...listed, delegation: { activeTokens: 1, rootOf: [] } });
      expect(Date.parse(listed?.lastUsedAt ?? "")).toBeGreaterThanOrEqual(
        Date.parse(details.issuedAt),
      );
      expect((await tokens.listTokens({ agentId: "1" })).items).toEqual([]);
      expect((await tokens.listTokens({ delegationId: "none" })).items).toEqual([]);
    });
  });

  describe("delegations", () => {
    test("what would stop is told before it is stopped", async () => {
      const market = await createMarket(service);
      const { figures, payments } = market.subscriber;
      const { delegation, x402, apiKeys } = payments;
      const { delegationId } = await delegation.createDelegation({
        name: "Research",
        spendingLimitCents: 500n,
        durationSecs: 3600,
      });
      const options = { delegationConfig: { delegationId } };
      await x402.getX402AccessToken(market.planId, market.agentId, options);
      const second = await x402.getX402AccessToken(market.planId, undefined, options);
      await market.builder.payments.facilitator.verifyPermissions({
        ...question(market, freshId()),
        x402AccessToken: second.accessToken,
        reserve: true,
      });
      const [listed] = (await delegation.listDelegations()).items;
      expect(listed).toMatchObject({ name: "Research", activeTokens: 2 });
      expect(await figures.getDelegationEffects(delegationId)).toMatchObject({
        tokensEnding: 2,
        tokens: expect.arrayContaining([
          expect.objectContaining({ tokenId: second.tokenId }),
          expect.objectContaining({ agentName: "Reader" }),
        ]),
        agents: [{ agentId: market.agentId, name: "Reader" }],
        plans: [{ planId: market.planId, name: "Starter" }],
        apiKeys: [],
        requestsUnderWay: 1,
      });
      const { rootDelegation, keyId } = await apiKeys.createApiKey({
        name: "worker",
        rootLimit: { spendingLimitCents: 100n, durationSecs: 60 },
      });
      const root = await figures.getDelegationEffects(rootDelegation?.delegationId ?? "");
      expect(root.apiKeys).toEqual([{ keyId, name: "worker" }]);
      await delegation.revokeDelegation(delegationId);
      const after = await figures.getDelegationEffects(delegationId);
      expect(after).toMatchObject({ tokensEnding: 0, agents: [], requestsUnderWay: 1 });
      const revoked = await delegation.getDelegation(delegationId);
      expect(Date.parse(revoked.revokedAt ?? "")).toBeGreaterThan(0);
    });

    test("all of the account's are revoked at once, and no one else's", async () => {
      const market = await createMarket(service);
      const other = await createMarket(service);
      const { delegation, x402 } = market.subscriber.payments;
      await delegation.createDelegation({ spendingLimitCents: 1n, durationSecs: 60 });
      await x402.getX402AccessToken(market.planId);
      const before = await delegation.revokeAllDelegations();
      expect(before).toEqual({ success: true, delegationsRevoked: 3, tokensRevoked: 2 });
      const again = await delegation.revokeAllDelegations();
      expect(again).toMatchObject({ delegationsRevoked: 0, tokensRevoked: 0 });
      const refused = await market.builder.payments.facilitator.verifyPermissions(
        question(market, freshId()),
      );
      expect(refused).toMatchObject({ isValid: false, invalidReason: "invalid_token" });
      expect(await settle(other)).toMatchObject({ success: true });
    });
  });

  describe("earnings", () => {
    test("are exact per currency, by plan and agent, without test customers", async () => {
      const market = await createMarket(service, {
        price: getErc20PriceConfig(1_000_001n, usdc, RECEIVER),
        credits: getFixedCreditsConfig(3n, 1n),
      });
      const { builder, planId, agentId } = market;
      await settle(market);
      await settle(market);
      await market.subscriber.payments.plans.orderPlan(planId);
      const tester = await service.party({ testOf: builder.address });
      await tester.payments.plans.orderPlan(planId);
      const { planId: coins } = await builder.payments.plans.registerCreditsPlan(
        { name: "Coins" },
        getNativeTokenPriceConfig(1_000_000_000_000_000_001n, RECEIVER),
        getFixedCreditsConfig(10n),
      );
      await market.subscriber.payments.plans.orderPlan(coins);
      const odd = `0x${"12".repeat(20)}`;
      const { planId: others } = await builder.payments.plans.registerCreditsPlan(
        { name: "Odd" },
        getCryptoPriceConfig(7n, RECEIVER, odd),
        getFixedCreditsConfig(10n),
      );
      await market.subscriber.payments.plans.orderPlan(others);

      const earnings = await builder.figures.getEarnings();
      const inUsdc = {
        currency: "usdc",
        amount: "2000002",
        decimals: 6,
        value: "2.000002",
        orders: 2,
      };
      expect(earnings.totals).toEqual(
        expect.arrayContaining([
          expect.objectContaining(inUsdc),
          expect.objectContaining({
            amount: "1000000000000000001",
            value: "1.000000000000000001",
            decimals: 18,
          }),
          expect.objectContaining({ currency: odd, amount: "7", orders: 1 }),
        ]),
      );
      expect(earnings.totals.find(({ currency }) => currency === odd)).not.toHaveProperty("value");
      expect(earnings.owed).toEqual([]);
      const plan = earnings.plans.find((each) => each.planId === planId);
      expect(plan).toMatchObject({ sold: [inUsdc], creditsSettled: "2", requestsSettled: 2 });
      // Two thirds of 1.000001, rounded down once.
      expect(earnings.agents).toEqual([
        {
          agentId,
          agentName: "Reader",
          creditsSettled: "2",
          requestsSettled: 2,
          series: [...Array(29).fill(0), 2],
          worth: [{ currency: "usdc", amount: "666667", decimals: 6, value: "0.666667" }],
        },
      ]);
      expect(earnings.buckets).toHaveLength(30);
      expect(earnings.buckets.at(-1)).toMatchObject({ creditsSettled: "2", requestsSettled: 2 });
      const all = await builder.figures.getEarnings({ range: "24h", includeTest: true });
      expect(all.totals.find(({ currency }) => currency === "usdc")).toMatchObject({ orders: 3 });
      const none = await market.subscriber.figures.getEarnings();
      expect(none).toMatchObject({ totals: [], plans: [], agents: [] });
    });
  });

  describe("unsettled requests", () => {
    const lapse = async () => {
      await service.ports.clock.advance(301);
      while ((await service.ports.ledger.sweep()) > 0);
    };
    const find = async (market: TestMarket, id: string) => {
      const { items } = await market.builder.payments.requests.listUnsettledRequests();
      return items.find(({ agentRequestId }) => agentRequestId === id);
    };
    const delivered = (market: TestMarket, agentRequestId: string) =>
      market.builder.payments.requests.reportRequests({
        requests: [
          {
            agentRequestId,
            at: new Date().toISOString(),
            method: "POST",
            path: "/ask",
            planId: market.planId,
            agentId: market.agentId,
            httpStatus: 200,
            moneyStatus: "delivered-unsettled",
          },
        ],
      });

    test("a request whose hold lapsed is settled by its record, once, and its token then gets the same answer", async () => {
      const market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 2n) });
      const { requests } = market.builder.payments;
      const id = freshId();
      await hold(market, id);
      expect(await find(market, id)).toBeUndefined();
      await lapse();
      await delivered(market, id);
      expect(await find(market, id)).toMatchObject({
        moneyStatus: "delivered-unsettled",
        advice: "settle",
        creditsDue: "2",
      });
      const settled = await requests.settleRequest(id);
      expect(settled).toMatchObject({
        success: true,
        creditsRedeemed: "2",
        remainingBalance: "98",
        payer: market.subscriber.address,
      });
      expect(await requests.settleRequest(id)).toMatchObject({
        success: true,
        remainingBalance: "98",
      });
      expect(await settle(market, id)).toMatchObject({ success: true, remainingBalance: "98" });
      expect(await find(market, id)).toBeUndefined();
      expect(await requests.getRequest(id)).toMatchObject({ moneyStatus: "settled" });
      const foreign = await market.subscriber.payments.x402.getX402AccessToken(
        market.planId,
        market.agentId,
      );
      const other = market.builder.payments.facilitator.settlePermissions({
        ...question(market, id),
        x402AccessToken: foreign.accessToken,
      });
      expect(await codeOf(other)).toBe("idempotency_conflict");
    });

    test("a request settled by its token is not settled again by its record, nor by many at once", async () => {
      const market = await createMarket(service);
      const { requests } = market.builder.payments;
      const [first, second] = [freshId(), freshId()];
      await hold(market, first);
      await settle(market, first);
      expect(await requests.settleRequest(first)).toMatchObject({ success: true });
      await hold(market, second);
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => requests.settleRequest(second)),
      );
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
      const balance = await market.subscriber.payments.plans.getPlanBalance(market.planId);
      expect(balance.balance).toBe(98n);
    });

    test("on a dynamic plan less than the hold may be taken, never more", async () => {
      const market = await createMarket(service, {
        credits: getDynamicCreditsConfig(100n, 2n, 9n),
      });
      const { requests } = market.builder.payments;
      const id = freshId();
      await hold(market, id, 8n);
      expect(await codeOf(requests.settleRequest(id, 9n))).toBe("invalid_amount");
      expect(await codeOf(requests.settleRequest(id, 1n))).toBe("invalid_amount");
      expect(await requests.settleRequest(id, 5n)).toMatchObject({ creditsRedeemed: "5" });
      const balance = await market.subscriber.payments.plans.getPlanBalance(market.planId);
      expect(balance).toMatchObject({ balance: 95n });
    });

    test("a revoked permission and an empty balance are told apart, and nothing is taken", async () => {
      const market = await createMarket(service, { credits: getFixedCreditsConfig(1n, 1n) });
      const { requests } = market.builder.payments;
      const [first, second] = [freshId(), freshId()];
      await hold(market, first);
      await lapse();
      await hold(market, second);
      await lapse();
      await requests.settleRequest(second);
      expect(await find(market, first)).toMatchObject({ advice: "order" });
      expect(await requests.settleRequest(first)).toMatchObject({
        success: false,
        errorReason: "insufficient_balance",
      });
      await market.subscriber.payments.tokens.revokeToken(market.tokenId);
      expect(await find(market, first)).toMatchObject({ advice: "ended" });
      expect(await requests.settleRequest(first)).toMatchObject({ success: false });
    });

    test("what was never held is for the gate's journal: the service keeps no tokens", async () => {
      const market = await createMarket(service);
      const id = freshId();
      await delivered(market, id);
      expect(await find(market, id)).toMatchObject({ advice: "gate" });
      expect(await codeOf(market.builder.payments.requests.settleRequest(id))).toBe("conflict");
    });

    test("a written-off request releases its credits and can't be settled", async () => {
      const market = await createMarket(service);
      const { requests } = market.builder.payments;
      const id = freshId();
      await hold(market, id);
      const record = await requests.writeOffRequest(id, "the answer was empty");
      expect(record).toMatchObject({
        moneyStatus: "not-charged",
        reason: "written off: the answer was empty",
      });
      const balance = await market.subscriber.payments.plans.getPlanBalance(market.planId);
      expect(balance).toMatchObject({ balance: 100n, held: 0n });
      await expect(requests.settleRequest(id)).rejects.toMatchObject({
        message: expect.stringContaining("was released or written off"),
      });
      expect(await codeOf(settle(market, id))).toBe("conflict");
      const done = freshId();
      await settle(market, done);
      expect(await codeOf(requests.writeOffRequest(done))).toBe("conflict");
      const lapsed = freshId();
      await hold(market, lapsed);
      await lapse();
      await requests.writeOffRequest(lapsed);
      expect(await find(market, lapsed)).toBeUndefined();
      expect(await codeOf(requests.settleRequest(lapsed))).toBe("conflict");
      expect(await codeOf(settle(market, lapsed))).toBe("conflict");
      const after = await market.subscriber.payments.plans.getPlanBalance(market.planId);
      expect(after).toMatchObject({ balance: 99n, held: 0n });
    });
  });

  test("anyone with its id can read a receipt, which shows neither the request nor the balance", async () => {
    const market = await createMarket(service);
    const settlement = await settle(market);
    if (!settlement.success) throw new Error("not settled");
    const { settlementId } = settlement.extra;
    const answer = await service.call(null, "GET", `/receipts/${settlementId}`);
    const receipt = await answer.json();
    expect(receipt).toMatchObject({
      settlementId,
      payer: market.subscriber.address,
      payee: market.builder.address,
      planName: "Starter",
      creditsRedeemed: "1",
      chainStatus: "none",
    });
    expect(receipt).not.toHaveProperty("remainingBalance");
    expect(receipt).not.toHaveProperty("agentRequestId");
    expect(receipt).not.toHaveProperty("proof");
    expect((await service.call(null, "GET", "/receipts/none")).status).toBe(404);
  });
});
