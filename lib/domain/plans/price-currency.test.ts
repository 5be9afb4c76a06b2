import {
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  type PlanPriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const OTHER_TOKEN = "0x2222222222222222222222222222222222222222";

describe.each(ruleStores())("the currency of a price on chain, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let builder: TestParty;
  let usdc: string;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    builder = await service.party();
    usdc = [...service.ports.stableTokens.keys()][0] ?? "";
  });
  afterAll(() => database.close());

  const priceIn = (token: string | undefined, currency: string): PlanPriceConfig => ({
    ...getCryptoPriceConfig(1_000_000n, builder.address, token),
    currency,
  });
  const register = (price: PlanPriceConfig) =>
    builder.payments.plans.registerCreditsPlan({ name: "P" }, price, getFixedCreditsConfig(10n));
  const refused = { code: "invalid_input", details: [{ path: "priceConfig.currency" }] };

  test("names the token that is paid", async () => {
    for (const price of [
      priceIn(usdc, "usdc"),
      priceIn(undefined, "ETH"),
      // What another token is called can't be checked.
      priceIn(OTHER_TOKEN, "EURC"),
      { ...priceIn(undefined, "USDC"), amounts: [], receivers: [] },
    ]) {
      expect(await register(price)).toHaveProperty("planId");
    }
    await expect(register(priceIn(usdc, "EURC"))).rejects.toMatchObject(refused);
    await expect(register(priceIn(undefined, "USDC"))).rejects.toMatchObject(refused);
  });

  test("of cards is refused for the chain's native token, and names both ways", async () => {
    for (const currency of ["usd", "EUR"]) {
      const price = priceIn(undefined, currency);
      await expect(register(price)).rejects.toMatchObject({
        ...refused,
        message: expect.stringMatching(/`isCrypto: false`.*tokenAddress/),
      });
      expect(await register({ ...price, isCrypto: false })).toHaveProperty("planId");
    }
  });

  test("is checked when a version changes the price, and stops no other edit", async () => {
    const { planId } = await register(priceIn(usdc, "USDC"));
    const { updatePlan } = builder.payments.plans;
    await expect(updatePlan(planId, { priceConfig: priceIn(usdc, "DAI") })).rejects.toMatchObject(
      refused,
    );
    await database.query(
      `update plan_versions set price = jsonb_set(price, '{currency}', '"DAI"') where plan_id = $1`,
      [planId],
    );
    expect(await updatePlan(planId, { state: "unlisted" })).toMatchObject({ state: "unlisted" });
  });
});
