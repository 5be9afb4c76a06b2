import { getFiatPriceConfig, getFixedCreditsConfig, toJson } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";

describe.each(ruleStores())("card prices on $name", ({ open }) => {
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

  test.each([
    ["below 0.50", 499_999n, "USD"],
    ["nothing", 0n, "USD"],
    ["a fraction of a cent", 1_005_000n, "USD"],
    ["a fraction of a yen", 100_500_000n, "JPY"],
    ["a fraction of a fils", 1_000_500n, "KWD"],
    ["a step of one fils", 1_001_000n, "KWD"],
    ["a fraction of a króna", 100_500_000n, "ISK"],
    ["paid out as a fraction of a forint", 411_500_000n, "HUF"],
    ["below fifty yen", 49_000_000n, "JPY"],
    ["more than eight digits", 1_000_000_000_000n, "USD"],
  ])("a card price that is %s is 422 and names the amounts", async (_what, amount, currency) => {
    const builder = await service.party();
    const answer = await service.call(
      builder,
      "POST",
      "/protocol/plans",
      toJson({
        metadataAttributes: { name: "Card" },
        priceConfig: getFiatPriceConfig(amount, RECEIVER, currency),
        creditsConfig: getFixedCreditsConfig(10n),
      }),
    );
    expect([answer.status, (await answer.json()).details[0].path]).toEqual([
      422,
      "priceConfig.amounts",
    ]);
  });

  test.each([
    [500_000n, "USD"],
    [1_010_000n, "EUR"],
    [100_000_000n, "JPY"],
    [1_010_000n, "KWD"],
    [150_000_000n, "ISK"],
    [411_000_000n, "HUF"],
  ])("a card price of %s millionths %s is taken", async (amount, currency) => {
    const builder = await service.party();
    const price = getFiatPriceConfig(amount, RECEIVER, currency);
    const { plans } = builder.payments;
    const { planId } = await plans.registerCreditsPlan(
      { name: "Card" },
      price,
      getFixedCreditsConfig(10n),
    );
    expect(await plans.getPlan(planId)).toMatchObject({
      scheme: "svc:card-delegation",
      registry: { price: { amounts: [amount], currency } },
    });
  });
});
