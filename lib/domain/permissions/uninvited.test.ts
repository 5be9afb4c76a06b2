import { generateKeyPairSync } from "node:crypto";
import {
  getDynamicCreditsConfig,
  getErc20PriceConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  type HolderKey,
  type PlanCreditsConfig,
  type PlanPriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { CashRail } from "@/lib/domain/testing/cash-rail.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import { createPretendRail } from "@/lib/server/testing/pretend-rail.ts";
import {
  createMarket,
  createTestService,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { createRandom } from "@/lib/testing/seeded-random.ts";

const UNINVITED_TRIES = inFull(10_000, 200);
const RECEIVER = "0x000000000000000000000000000000000000dEaD";

/** What a plan's owner can do with nothing but a subscriber's token. */
describe.each(ruleStores())("uninvited spending on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let rail: CashRail;
  let usdc: string;

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(() => {
    rail = createPretendRail();
    service = createTestService(database, { rails: [rail] });
    usdc = [...service.ports.stableTokens.keys()][0] ?? "";
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const dollars = (units: number, token = usdc) =>
    getErc20PriceConfig(BigInt(units) * 1_000_000n, token, RECEIVER);

  /** A plan of 1.00 for 100 credits, ordered once, and a token that may spend 10.00 more. */
  async function begin(credits: PlanCreditsConfig = getFixedCreditsConfig(100n, 100n)) {
    const market = await createMarket(service, { price: dollars(1), credits, order: false });
    const { builder, subscriber, planId, agentId } = market;
    const minted = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
      redemptionLimit: 1000,
      delegationConfig: { spendingLimitCents: 1000, durationSecs: 86_400 },
    });
    const token = { ...market, token: minted.accessToken, tokenId: minted.tokenId };
    const change = (terms: { priceConfig?: PlanPriceConfig; creditsConfig?: PlanCreditsConfig }) =>
      builder.payments.plans.updatePlan(planId, terms);
    return { market: token, calls: createPermissionCalls(service, token), change };
  }
  const reserve = ({ calls }: Awaited<ReturnType<typeof begin>>) =>
    calls.verify({ reserve: true, agentRequestId: freshId() });

  test("T53: a price raised after the token was minted buys nothing, by verify or by settle", async () => {
    const seller = await begin();
    expect((await reserve(seller)).body).toMatchObject({ isValid: true });
    await seller.change({ priceConfig: dollars(9), creditsConfig: getFixedCreditsConfig(1n, 1n) });
    for (let tries = 0; tries < 5; tries++) {
      expect((await reserve(seller)).body).toMatchObject({
        isValid: false,
        invalidReason: "insufficient_balance",
        cause: "price_changed",
      });
      expect((await seller.calls.settle()).body).toMatchObject({ cause: "price_changed" });
    }
    expect(rail.paid()).toHaveLength(1);
  });

  test.each<
    [
      string,
      PlanCreditsConfig,
      { priceConfig?: PlanPriceConfig; creditsConfig?: PlanCreditsConfig },
      string,
    ]
  >([
    [
      "fewer credits",
      getFixedCreditsConfig(100n, 1n),
      { creditsConfig: getFixedCreditsConfig(99n, 1n) },
      "fewer_credits",
    ],
    [
      "less time",
      getExpirableDurationConfig(86_400n),
      { creditsConfig: getExpirableDurationConfig(60n) },
      "fewer_credits",
    ],
    [
      "a price in another token",
      getFixedCreditsConfig(100n, 1n),
      { priceConfig: getErc20PriceConfig(1n, RECEIVER, RECEIVER) },
      "price_changed",
    ],
  ])("%s for the money is another offer, and refused", async (_what, credits, terms, cause) => {
    const seller = await begin(credits);
    await seller.change(terms);
    expect((await reserve(seller)).body).toMatchObject({ isValid: false, cause });
    expect(rail.paid()).toHaveLength(0);
  });

  test.each<[string, PlanCreditsConfig, PlanCreditsConfig]>([
    ["fixed", getFixedCreditsConfig(100n, 1n), getFixedCreditsConfig(100n, 100n)],
    ["dynamic", getFixedCreditsConfig(100n, 1n), getDynamicCreditsConfig(100n, 1n, 100n)],
  ])(
    "more credits per request for the same order are a higher price: %s",
    async (_, before, after) => {
      const seller = await begin(before);
      expect((await seller.calls.settle()).body).toMatchObject({ success: true });
      await seller.change({ creditsConfig: after });
      // What was ordered is used at the terms it was ordered at.
      for (let call = 1; call < 100; call++)
        expect((await seller.calls.settle()).body).toMatchObject({ success: true });
      expect((await reserve(seller)).body).toMatchObject({
        isValid: false,
        cause: "price_changed",
      });
      expect((await seller.calls.settle()).body).toMatchObject({ cause: "price_changed" });
      expect(rail.paid()).toHaveLength(1);
    },
  );

  test("fewer credits per request are a better offer", async () => {
    const seller = await begin(getFixedCreditsConfig(100n, 100n));
    await seller.change({ creditsConfig: getFixedCreditsConfig(100n, 1n) });
    expect((await reserve(seller)).body).toMatchObject({ isValid: true });
    expect(rail.paid()).toHaveLength(1);
  });

  test("a better offer is accepted: cheaper, and for more", async () => {
    const seller = await begin();
    const cheaper = getErc20PriceConfig(500_000n, usdc, RECEIVER);
    await seller.change({ priceConfig: cheaper, creditsConfig: getFixedCreditsConfig(200n, 100n) });
    expect((await reserve(seller)).body).toMatchObject({ isValid: true });
    expect(rail.paid()).toHaveLength(1);
  });

  test("T53: a price that changes between the decision and the order is not paid", async () => {
    const seller = await begin();
    const { ledger } = service.ports;
    const { readFacts } = ledger;
    ledger.readFacts = async (question) => {
      const facts = await readFacts(question);
      if (rail.paid().length === 0 && facts.plan?.newest.version === 1) {
        await seller.change({ priceConfig: dollars(9) });
      }
      return facts;
    };
    expect((await reserve(seller)).body).toMatchObject({ isValid: false, cause: "price_changed" });
    expect(rail.paid()).toHaveLength(0);
  });

  test.each([
    { holder: "bearer", cnf: undefined },
    {
      holder: "sender-constrained",
      cnf: { jwk: generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }) as HolderKey },
    },
  ])(
    "T11, T53: $holder tokens in the owner's hands: verify, settle, price changes and new versions order nothing above the signed price",
    async ({ holder, cnf }) => {
      const random = createRandom(20_260_101);
      const { market, change } = await begin(getFixedCreditsConfig(100n, 1n));
      service.ports.pause = async () => {};
      const { subscriber, planId, agentId } = market;
      const signed = new Map<string, { price: bigint; credits: bigint }>();
      /** What each version of the plan sells, from the first. */
      const versions = [{ price: 1_000_000n, credits: 100n }];
      let tries = 0;
      while (tries < UNINVITED_TRIES) {
        const { accessToken, tokenId } = await subscriber.payments.x402.getX402AccessToken(
          planId,
          agentId,
          {
            redemptionLimit: 1_000,
            delegationConfig: { spendingLimitCents: 1_000, durationSecs: 86_400 },
            ...(cnf && { cnf }),
          },
        );
        signed.set(tokenId, versions.at(-1) ?? { price: 0n, credits: 0n });
        const calls = createPermissionCalls(service, { ...market, token: accessToken });
        for (let round = 0; round < 5; round++) {
          const price = BigInt(random.pick([10, 90, 99, 100, 100, 101, 500, 900])) * 10_000n;
          const credits = BigInt(random.pick([1, 5, 99, 100, 100, 101, 300]));
          await change({
            priceConfig: getErc20PriceConfig(price, usdc, RECEIVER),
            creditsConfig: getFixedCreditsConfig(credits, credits),
          });
          versions.push({ price, credits });
          const ids = Array.from({ length: 10 }, freshId);
          const ask = (id: string) =>
            random.pick([
              () => calls.verify({ reserve: true, agentRequestId: id }),
              () => calls.verify({ agentRequestId: id }),
              () => calls.settle({ agentRequestId: id }),
              () => calls.settle({ agentRequestId: id, maxAmount: credits.toString() }),
            ])();
          await Promise.all(ids.flatMap((id) => [ask(id), ask(id)]));
          tries += 2 * ids.length + 1;
        }
      }
      const orders = rail.paid();
      const bought = orders.map(({ jti, price, planVersion }) => ({
        price,
        credits: versions[planVersion - 1]?.credits ?? 0n,
        signed: signed.get(jti ?? ""),
      }));
      const above = bought.filter(
        ({ price, credits, signed: terms }) =>
          !terms || price > terms.price || credits < terms.credits,
      );
      const spent = new Map<string, bigint>();
      for (const { jti, price } of orders)
        spent.set(jti ?? "", (spent.get(jti ?? "") ?? 0n) + price);
      console.log(
        `uninvited: ${holder}: ${tries} tries, ${orders.length} orders, ${above.length} above the signed price`,
      );
      expect(above).toEqual([]);
      expect([...spent.values()].filter((sum) => sum > 10_000_000n)).toEqual([]);
      // The owner of a bearer token may order what its holder allowed; of a bound one, nothing at all.
      if (cnf) expect(orders).toEqual([]);
      else expect(orders.length).toBeGreaterThan(0);
    },
    1_800_000,
  );

  test("T17: a builder that was never paid reserves a quarter of a subscriber's credits at most", async () => {
    const { market } = await begin(getFixedCreditsConfig(40n, 1n));
    await market.subscriber.payments.plans.orderPlan(market.planId);
    service.ports.pause = async () => {};
    const calls = createPermissionCalls(service, market);
    const reserveOne = () => calls.verify({ reserve: true, agentRequestId: freshId() });
    const answers = await Promise.all(Array.from({ length: 15 }, reserveOne));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(5).fill(503)]);
    expect(answers.find(({ status }) => status === 503)?.body).toMatchObject({
      message: expect.stringContaining("quarter of the credits"),
    });
    const balance = () => market.subscriber.payments.plans.getPlanBalance(market.planId);
    expect(await balance()).toMatchObject({ held: 10n });
    // Paid once, it may reserve as many requests as the credits pay for.
    const { agentRequestId } = answers.map(({ body }) => body).find((body) => body.isValid) ?? {};
    expect((await calls.settle({ agentRequestId: agentRequestId ?? "" })).body).toMatchObject({
      success: true,
    });
    await Promise.all(Array.from({ length: 30 }, reserveOne));
    expect(await balance()).toMatchObject({ held: 39n });
  });

  test("T09: a revoked key settles nothing, not even what it reserved a moment ago", async () => {
    const seller = await begin();
    const agentRequestId = freshId();
    await seller.calls.verify({ reserve: true, agentRequestId });
    const { payments } = seller.market.builder;
    const { items } = await payments.apiKeys.listApiKeys();
    await payments.apiKeys.revokeApiKey(items[0]?.keyId ?? "");
    expect(await seller.calls.settle({ agentRequestId })).toMatchObject({
      status: 401,
      body: { code: "unauthorized" },
    });
  });
});
