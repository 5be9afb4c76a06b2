import { expect, test, vi } from "vitest";
import { Payments } from "../../client/payments.ts";
import { USDC } from "../../protocol/exact/usdc.ts";
import type { X402PaymentRequired } from "../../protocol/payment-required.ts";
import type { PlanPriceConfig } from "../../protocol/plans/price.ts";
import { getErc20PriceConfig, getFiatPriceConfig } from "../../protocol/plans/price-builders.ts";
import { apiKeyOf, BUILDER, createFakeService, planOf } from "../../test-support/fake-service.ts";
import { createGate } from "../gate.ts";

const TOKEN = `0x${"12".repeat(20)}`;
const usdc = USDC["eip155:84532"] as string;

const priced = (price = getErc20PriceConfig(10_000n, usdc, BUILDER), at = 0) => {
  const plan = planOf(String(42 + at));
  return { ...plan, registry: { ...plan.registry, price } };
};

/** The offers by `exact` for plans at these prices, and what the seller's log says. */
async function offersFor(prices: PlanPriceConfig[]) {
  const plans = prices.map(priced);
  const service = createFakeService(plans);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const error = vi.fn();
  const gate = createGate(
    payments,
    { "POST /ask": { planId: plans.map(({ planId }) => planId), exact: true } },
    { report: false, logger: { error } },
  );
  const ask = () => gate(new Request("http://agent.test/ask", { method: "POST" }), vi.fn());
  await ask();
  const { paymentRequired } = (await (await ask()).json()) as {
    paymentRequired: X402PaymentRequired;
  };
  return { offers: paymentRequired.accepts.filter(({ scheme }) => scheme === "exact"), error };
}

test("a plan priced by the address of USDC alone is offered to wallets, in any spelling of it", async () => {
  for (const token of [usdc, usdc.toLowerCase()]) {
    const { offers, error } = await offersFor([getErc20PriceConfig(10_000n, token, BUILDER)]);
    expect(offers).toMatchObject([{ asset: usdc, amount: "10000", payTo: BUILDER }]);
    expect(error).not.toHaveBeenCalled();
  }
});

test.each<[string, PlanPriceConfig, string]>([
  [
    "of another token",
    getErc20PriceConfig(10_000n, TOKEN, BUILDER),
    `is priced in the token ${TOKEN}, not in USDC`,
  ],
  ["by card", getFiatPriceConfig(10_000_000n, BUILDER), "is paid by card"],
  [
    "of several receivers",
    {
      ...getErc20PriceConfig(10_000n, usdc, BUILDER),
      amounts: [1n, 2n],
      receivers: [BUILDER, TOKEN],
    },
    "pays 2 receivers, not one",
  ],
])("a route that only has a plan %s says once why no wallet can buy it", async (_, price, why) => {
  const { offers, error } = await offersFor([price]);
  expect(offers).toEqual([]);
  expect(error.mock.calls).toEqual([
    [
      "A route with `exact` has no plan that a wallet can buy.",
      { route: "POST /ask", reason: expect.stringContaining(`Plan 42 ${why}`) },
    ],
  ]);
});

test("a plan by card beside one that wallets can buy is no fault", async () => {
  const { offers, error } = await offersFor([
    getFiatPriceConfig(10_000_000n, BUILDER),
    { ...getErc20PriceConfig(10_000n, TOKEN, BUILDER), currency: "USDC" },
  ]);
  expect(offers).toMatchObject([{ asset: TOKEN, planId: "43" }]);
  expect(error).not.toHaveBeenCalled();
});

test("each 402 has another id in its offers by `exact`, also where its parts are built and signed once", async () => {
  const service = createFakeService([priced()]);
  const signOffers = vi.fn(() => ({ offers: [], validUntil: Date.now() / 1000 + 3_600 }));
  service.handlers.unknown = signOffers;
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const gate = createGate(
    payments,
    { "POST /ask": { planId: "42", exact: true } },
    { report: false, signOffers: "jws", lease: { credits: 10, seconds: 5 } },
  );
  const ids = new Set<unknown>();
  for (let count = 0; count < 3; count++) {
    const refused = await gate(new Request("http://agent.test/ask", { method: "POST" }), vi.fn());
    const { paymentRequired } = await refused.json();
    ids.add(paymentRequired.accepts.at(-1).extra.challengeId);
  }
  expect([...ids]).toEqual(Array(3).fill(expect.stringMatching(/^\w{30,60}$/)));
  expect(signOffers).toHaveBeenCalledTimes(1);
});
