import {
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getNativeTokenPriceConfig,
  getNonExpirableDurationConfig,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRailsWithoutChain } from "@/lib/adapters/chain/free-rail.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";

const RECEIVER = "0x2222222222222222222222222222222222222222";
const BEYOND_CHAIN = 2n ** 128n;
const CENTURY_SECS = 100n * 365n * 86_400n;

describe.each(ruleStores())("terms that no order could meet, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let usdc: string;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    usdc = [...service.ports.stableTokens.keys()][0] ?? "";
  });
  afterAll(() => database.close());

  const NATIVE = getNativeTokenPriceConfig(1n, RECEIVER);
  const CREDITS = getFixedCreditsConfig(10n);
  const register = async (price = NATIVE, credits = CREDITS) =>
    (await service.party()).payments.plans.registerCreditsPlan({ name: "P" }, price, credits);
  const refusedAt = (path: string) => ({ code: "invalid_input", details: [{ path }] });

  test("the zero address as a receiver is refused, also as one of several", async () => {
    const shared = { ...NATIVE, amounts: [1n, 1n], receivers: [RECEIVER, ZERO_ADDRESS] };
    for (const price of [
      getErc20PriceConfig(1_000_000n, usdc, ZERO_ADDRESS),
      getFiatPriceConfig(1_000_000n, ZERO_ADDRESS),
    ]) {
      await expect(register(price)).rejects.toMatchObject(refusedAt("priceConfig.receivers.0"));
    }
    await expect(register(shared)).rejects.toMatchObject(refusedAt("priceConfig.receivers.1"));
  });

  test("a card price in a currency that there is not is refused", async () => {
    for (const currency of ["USDC", "XYZ"]) {
      const price = getFiatPriceConfig(1_000_000n, RECEIVER, currency);
      await expect(register(price)).rejects.toMatchObject(refusedAt("priceConfig.currency"));
    }
    expect(await register(getFiatPriceConfig(1_000_000n, RECEIVER, "EUR"))).toHaveProperty(
      "planId",
    );
  });

  test("what the contract cannot count is refused for a paid plan on chain only", async () => {
    const large = { ...getFixedCreditsConfig(BEYOND_CHAIN, BEYOND_CHAIN) };
    await expect(register(NATIVE, large)).rejects.toMatchObject(
      refusedAt("creditsConfig.maxAmount"),
    );
    const long = { ...CREDITS, durationSecs: CENTURY_SECS + 1n };
    await expect(register(NATIVE, long)).rejects.toMatchObject(
      refusedAt("creditsConfig.durationSecs"),
    );
    const free = { ...NATIVE, amounts: [], receivers: [] };
    for (const credits of [large, long]) {
      expect(await register(free, credits)).toHaveProperty("planId");
    }
    expect(await register(NATIVE, { ...CREDITS, durationSecs: CENTURY_SECS })).toHaveProperty(
      "planId",
    );
  });

  test("a new version is refused as the first one is", async () => {
    const { plans } = (await service.party()).payments;
    const { planId } = await plans.registerCreditsPlan({ name: "P" }, NATIVE, CREDITS);
    await expect(
      plans.updatePlan(planId, { priceConfig: { ...NATIVE, receivers: [ZERO_ADDRESS] } }),
    ).rejects.toMatchObject(refusedAt("priceConfig.receivers.0"));
    const long = { ...CREDITS, durationSecs: CENTURY_SECS + 1n };
    await expect(plans.updatePlan(planId, { creditsConfig: long })).rejects.toMatchObject(
      refusedAt("creditsConfig.durationSecs"),
    );
  });

  test("a price on a rail that the service does not have is refused, and a free plan is not", async () => {
    const alone = createTestService(database, { rails: createRailsWithoutChain("eip155:84532") });
    const { plans } = (await alone.party()).payments;
    const refused = plans.registerCreditsPlan({ name: "P" }, NATIVE, CREDITS);
    await expect(refused).rejects.toMatchObject(refusedAt("priceConfig.isCrypto"));
    const free = { ...NATIVE, amounts: [], receivers: [] };
    const time = getNonExpirableDurationConfig();
    expect(await plans.registerTimePlan({ name: "P" }, free, time)).toHaveProperty("planId");
  });
});
