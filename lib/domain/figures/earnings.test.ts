import {
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createTopSubscribers } from "@/lib/adapters/db/figures/top-subscribers.ts";
import { explained } from "@/lib/adapters/db/testing/explained.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { pretendCards } from "@/lib/server/testing/pretend-rail.ts";
import {
  createMarket,
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const MONTH = 30 * 86_400;

describe.each(ruleStores())("earnings, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let usdc: string;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { cards: pretendCards });
    usdc = [...service.ports.stableTokens.keys()][0] ?? "";
  });
  afterAll(() => database.close());

  const sell = async (builder: TestParty, name: string, isCard: boolean) => {
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name },
      isCard
        ? getFiatPriceConfig(5_000_000n, RECEIVER, "EUR")
        : getErc20PriceConfig(2_000_000n, usdc, RECEIVER),
      getFixedCreditsConfig(10n),
    );
    return planId;
  };
  /** The same order again and again, on plans copied from its own. */
  const copy = (planId: string, times: number) =>
    database.query(
      `with plan as (insert into plans select (jsonb_populate_record(p, jsonb_build_object('plan_id', p.plan_id || lpad(n::text, 3, '0')))).*
         from plans p, generate_series(1, $2::int) n where p.plan_id = $1 returning plan_id)
       insert into orders select (jsonb_populate_record(o, jsonb_build_object('order_id', o.order_id || n, 'idempotency_key', null,
         'plan_id', o.plan_id || lpad(n::text, 3, '0'), 'price', o.price + n))).* from orders o, generate_series(1, $2::int) n where o.plan_id = $1`,
      [planId, times],
    );

  test("of 130 plans in two currencies are the sums of the orders, beside the period before", async () => {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const [coins, euros] = [
      await sell(builder, "Coins", false),
      await sell(builder, "Euros", true),
    ];
    await buyer.payments.plans.orderPlan(coins);
    await service.ports.clock.advance(MONTH);
    await buyer.payments.plans.orderPlan(euros);
    await buyer.payments.plans.orderPlan(coins);
    await copy(euros, 128);

    const earnings = await builder.figures.getEarnings();
    const [sums] = await database.query<{ euros: string; n: string }>(
      "select sum(price)::text as euros, count(*)::text as n from orders where plan_id like $1 || '%'",
      [euros],
    );
    expect(earnings.plans).toHaveLength(130);
    expect(earnings.totals).toHaveLength(2);
    expect(earnings.totals).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          currency: "eur",
          amount: sums?.euros,
          orders: 129,
          previous: "0",
        }),
        expect.objectContaining({
          currency: "usdc",
          amount: "2000000",
          orders: 1,
          previous: "2000000",
        }),
      ]),
    );
    expect(earnings.orders).toEqual({ count: 130, previous: 1, plans: 130 });
  });

  test("and a plan’s figures have an order in the period in which it was charged", async () => {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const planId = await sell(builder, "Late", true);
    await buyer.payments.plans.orderPlan(planId);
    await database.query(
      "update orders set created_at = created_at - interval '31 days' where plan_id = $1",
      [planId],
    );
    const { totals, orders, buckets } = await builder.figures.getEarnings();
    expect(totals).toMatchObject([{ amount: "5000000", orders: 1, previous: "0" }]);
    expect(orders).toMatchObject({ count: 1, previous: 0 });
    expect(buckets.at(-1)?.sold).toMatchObject([{ amount: "5000000" }]);
    const { now, previous } = await builder.figures.getPlanFigures({ planId });
    expect(now).toMatchObject({ newSubscribers: 1, creditsSold: "10", sold: [{ orders: 1 }] });
    expect(previous).toMatchObject({ newSubscribers: 0, creditsSold: "0", sold: [] });
  });

  test("name the subscribers who used most, over every plan, and count calls in their periods", async () => {
    const market = await createMarket(service, {
      price: getErc20PriceConfig(2_000_000n, usdc, RECEIVER),
    });
    const { builder, subscriber, planId } = market;
    const settle = () =>
      builder.payments.facilitator.settlePermissions({
        paymentRequired: requirementOf(market),
        x402AccessToken: market.token,
        agentRequestId: freshId(),
      });
    await settle();
    await settle();
    const other = await sell(builder, "Other", false);
    const people = [];
    for (let n = 0; n < 11; n++) people.push(await service.party());
    for (const person of people) await person.payments.plans.orderPlan(other);
    await subscriber.payments.plans.orderPlan(other);
    await builder.payments.plans.orderPlan(planId);
    const free = await builder.payments.plans.registerCreditsPlan(
      { name: "Free" },
      getFreePriceConfig(),
      getFixedCreditsConfig(10n),
    );
    await subscriber.payments.plans.orderPlan(free.planId);

    const { subscribers, ...now } = await builder.figures.getEarnings();
    expect(subscribers).toHaveLength(10);
    expect(subscribers[0]).toMatchObject({
      address: subscriber.address,
      plans: ["Free", "Other", "Starter"],
      orders: 2,
      creditsUsed: "2",
    });
    expect(now).toMatchObject({ creditsSettled: { amount: "2", previous: "0" } });
    // Only the orders of those who are shown are read, of as many subscribers as there may be.
    const { database: counted, reads } = explained(database);
    await createTopSubscribers(counted).topSubscribers(builder.address, false);
    expect(reads.orders?.loops).toBeLessThanOrEqual(10);
    await service.ports.clock.advance(MONTH);
    expect(await builder.figures.getEarnings()).toMatchObject({
      creditsSettled: { amount: "0", previous: "2" },
      requestsSettled: { count: 0, previous: 2 },
      worth: [],
    });
  });

  test("home, the chart, earnings and a plan count the same hours, and as many before", async () => {
    const price = getErc20PriceConfig(2_000_000n, usdc, RECEIVER);
    const market = await createMarket(service, { price });
    const { clock } = service.ports;
    const secs = Math.floor((await clock.now()).getTime() / 1_000);
    // Half past an hour.
    await clock.advance(5_400 - (secs % 3_600));
    await market.builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId: freshId(),
    });
    const countsAfter = async (more: number) => {
      await clock.advance(more);
      const { figures } = market.builder;
      const [home, series, earnings, plan] = await Promise.all([
        figures.getHome(),
        figures.getActivitySeries({ role: "builder", range: "24h" }),
        figures.getEarnings({ range: "24h" }),
        figures.getPlanFigures({ planId: market.planId, range: "24h" }),
      ]);
      const { count, previous } = earnings.requestsSettled;
      expect([plan.now.settled, plan.previous.settled]).toEqual([count, previous]);
      expect([home.builder.settled24h, series.totals.settled]).toEqual([count, count]);
      return [count, previous];
    };
    const quarter = 900;
    expect(await countsAfter(quarter)).toEqual([1, 0]);
    // 23 hours and 45 minutes after the call: the first of the 24 bars began half an hour after it.
    expect(await countsAfter(23 * 3_600 + 2 * quarter)).toEqual([0, 1]);
    // This period has lasted 23 hours and 15 minutes, and the call was earlier than 23 hours before it.
    expect(await countsAfter(23 * 3_600)).toEqual([0, 0]);
  });

  test("home says what all unsettled calls may still charge, not what a page of them may", async () => {
    const market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 3n) });
    await market.builder.payments.facilitator.verifyPermissions({
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId: freshId(),
      reserve: true,
    });
    await service.ports.clock.advance(301);
    while ((await service.ports.ledger.sweep()) > 0);
    await database.query(
      `insert into holds select (jsonb_populate_record(h, jsonb_build_object(
         'request_key', h.request_key || n, 'agent_request_id', h.agent_request_id || n))).*
       from holds h, generate_series(1, 129) n where h.builder = $1`,
      [market.builder.address],
    );
    const { builder } = await market.builder.figures.getHome();
    expect(builder).toMatchObject({ unsettled: 130, creditsDue: "390" });
    expect(Date.parse(builder.oldestUnsettledAt ?? "")).toBeGreaterThan(0);
  });
});
