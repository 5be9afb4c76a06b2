import {
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { pretendCards } from "@/lib/server/testing/pretend-rail.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const HOUR = 3_600;
const DAY = 24 * HOUR;

describe.each(ruleStores())("the sums over all delegations, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let usdc: string;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { cards: pretendCards });
    usdc = [...service.ports.stableTokens.keys()][0] ?? "";
  });
  afterAll(() => database.close());

  const delegate = (
    person: TestParty,
    more: Partial<Parameters<TestParty["payments"]["delegation"]["createDelegation"]>[0]> = {},
  ) =>
    person.payments.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 100n,
      durationSecs: DAY,
      ...more,
    });
  const totalsOf = (person: TestParty) => person.figures.getDelegationTotals();

  test("count 150 delegations, more than a page, and keep USDC and dollars apart", async () => {
    const [person, builder] = await Promise.all([service.party(), service.party()]);
    await delegate(person);
    await delegate(person, { provider: "card-processor" });
    await database.query(
      `insert into delegations select (jsonb_populate_record(d, jsonb_build_object(
         'delegation_id', d.delegation_id || n, 'spending_limit_cents', 100 + n))).*
       from delegations d, generate_series(1, case d.provider when 'erc4337' then 119 else 29 end) n where d.account = $1`,
      [person.address],
    );
    const [first] = (await person.payments.delegation.listDelegations({ limit: 1 })).items;
    await person.payments.delegation.revokeDelegation(first?.delegationId ?? "");
    const plan = async (price: ReturnType<typeof getFiatPriceConfig>) =>
      (
        await builder.payments.plans.registerCreditsPlan(
          { name: "Starter" },
          price,
          getFixedCreditsConfig(10n),
        )
      ).planId;
    const prices = [
      getErc20PriceConfig(2_000_000n, usdc, RECEIVER),
      getFiatPriceConfig(5_000_000n, RECEIVER),
    ];
    for (const price of prices) {
      const planId = await plan(price);
      const { delegationId } = await delegate(person, {
        provider: price.isCrypto ? "erc4337" : "card-processor",
        spendingLimitCents: 2_000n,
      });
      await person.payments.plans.orderPlan(planId, { delegationId });
    }

    const totals = await totalsOf(person);
    const [sums] = await database.query<{ n: string; coins: string; dollars: string }>(
      `select count(*)::text as n,
         sum(spending_limit_cents - spent_cents - reserved_cents) filter (where provider = 'erc4337')::text as coins,
         sum(spending_limit_cents - spent_cents - reserved_cents) filter (where provider <> 'erc4337')::text as dollars
       from delegations where account = $1 and revoked_at is null`,
      [person.address],
    );
    expect(totals).toMatchObject({ total: 152, open: 151, active: 151 });
    expect(totals.limits).toEqual([
      { currency: "usd", remaining: sums?.dollars, reserved: "0", reserving: 0 },
      { currency: "usdc", remaining: sums?.coins, reserved: "0", reserving: 0 },
    ]);
    expect(totals.spent30d).toEqual([
      expect.objectContaining({ currency: "usd", value: "5.000000", orders: 1, previous: "0" }),
      expect.objectContaining({ currency: "usdc", value: "2.000000", orders: 1, previous: "0" }),
    ]);
    const { items } = await person.payments.holdings.listOrders();
    const { orderId = "" } = items.find(({ price }) => price.currency === "usd") ?? {};
    await builder.payments.money.createRefund({ orderId, amount: 4_990_000n });
    expect((await totalsOf(person)).spent30d[0]).toMatchObject({ value: "0.010000" });
    await delegate(person, { currency: "usdc", spendingLimitCents: 1n });
    const [, coins] = (await totalsOf(person)).limits;
    expect(coins).toMatchObject({
      currency: "usdc",
      remaining: `${BigInt(sums?.coins ?? 0) + 1n}`,
    });
    expect((await totalsOf(builder)).total).toBe(0);
  });

  test.each([HOUR, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY])(
    "a life of %i s warns in its last 15 %%, at most 7 days before its end, never at birth",
    async (durationSecs) => {
      const person = await service.party();
      await delegate(person, { durationSecs });
      const warns = async () => (await totalsOf(person)).alerts.map(({ kind }) => kind);
      const at = Math.max(0.85 * durationSecs, durationSecs - 7 * DAY);
      expect(await warns()).toEqual([]);
      await service.ports.clock.advance(Math.floor(at) - 60);
      expect(await warns()).toEqual([]);
      await service.ports.clock.advance(120);
      expect(await warns()).toEqual(["time"]);
      await service.ports.clock.advance(durationSecs - Math.floor(at));
      expect(await warns()).toEqual([]);
    },
  );

  test("an expiry names the tokens that end then, not those that end before", async () => {
    const [person, builder] = await Promise.all([service.party(), service.party()]);
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Starter" },
      getErc20PriceConfig(1_000_000n, usdc, RECEIVER),
      getFixedCreditsConfig(10n),
    );
    const { delegationId } = await delegate(person, { durationSecs: 2 * DAY });
    await delegate(person, { durationSecs: 2 * DAY });
    await service.ports.clock.advance(1.9 * DAY);
    const now = (await service.ports.clock.now()).getTime();
    const mint = (secs: number) =>
      person.payments.x402.getX402AccessToken(planId, undefined, {
        delegationConfig: { delegationId },
        expiration: new Date(now + secs * 1_000).toISOString(),
      });
    await mint(60);
    const { tokenId } = await mint(9 * DAY);
    expect((await totalsOf(person)).alerts).toMatchObject([
      { kind: "time", count: 2, tokensEnding: 1, tokens: [{ tokenId, planName: "Starter" }] },
    ]);
  });

  test("money and charges warn at 80 %, and two with the same problem are one alert", async () => {
    const person = await service.party();
    const ids: string[] = [];
    for (const name of ["a", "b"])
      ids.push((await delegate(person, { name, maxTransactions: 5 })).delegationId);
    const use = (cents: number, charges: number) =>
      database.query(
        "update delegations set spent_cents = $2::numeric, transaction_count = $3 where delegation_id = any($1)",
        [ids, cents, charges],
      );
    await use(79, 3);
    expect((await totalsOf(person)).alerts).toEqual([]);
    await use(80, 4);
    expect((await totalsOf(person)).alerts).toMatchObject([
      { kind: "money", count: 2, delegations: [{ usedPercent: 80 }, { usedPercent: 80 }] },
      { kind: "charges", count: 2 },
    ]);
    await use(100, 5);
    expect(await totalsOf(person)).toMatchObject({ active: 0, open: 2, alerts: [] });
  });
});
