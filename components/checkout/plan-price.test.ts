import {
  getCryptoPriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  type Plan,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { addedText, grantText, orderedTerms, priceOf, priceText } from "./plan-price.ts";

const RECEIVER = "0x54F6EcF00fdEea628a15E3831f28a77B908B9812";
const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const planOf = (price: Plan["registry"]["price"], credits = getFixedCreditsConfig(100n)) => ({
  registry: { price, credits },
  metadata: {
    main: { name: "Starter" },
    plan: { accessLimit: "credits" as const, isTrialPlan: false },
  },
});

test("a price in the deployment's dollars is read with six decimals and counts its cents", () => {
  const price = priceOf(planOf(getCryptoPriceConfig(1_000_000n, RECEIVER, USDC)), USDC);
  expect(priceText(price)).toBe("1.00 USDC");
  expect(price.cents).toBe(100n);
});

test("cents are rounded up, as the service counts them", () => {
  expect(priceOf(planOf(getFiatPriceConfig(5_004_000n, RECEIVER, "EUR"))).cents).toBe(501n);
});

test.each([
  ["JPY", 500n],
  ["KWD", 500_000n],
])("an order in %s counts the currency's minor units", (currency, minor) => {
  const { cents } = priceOf(planOf(getFiatPriceConfig(500_000_000n, RECEIVER, currency)));
  expect(cents).toBe(minor);
});

test("an unknown token is shown in its smallest unit and has no cents", () => {
  const price = priceOf(planOf(getCryptoPriceConfig(77n, RECEIVER, USDC)));
  expect(priceText(price)).toBe("77 smallest units");
  expect(price.cents).toBeNull();
});

test.each([
  ["ETH", ZERO_ADDRESS, 10n ** 16n, "0.01 ETH"],
  ["USDC", ZERO_ADDRESS, 10n ** 18n, "1.00 ETH"],
  ["USDC", RECEIVER, 100_000_000n, "100,000,000 smallest units"],
])("on chain, the token decides the unit, not the label %s", (currency, token, amount, text) => {
  const price = { ...getCryptoPriceConfig(amount, RECEIVER, token), currency };
  expect(priceOf(planOf(price), USDC)).toMatchObject({ cents: null, limitCurrency: "usd" });
  expect(priceText(priceOf(planOf(price), USDC))).toBe(text);
  const own = { ...getCryptoPriceConfig(1_000_000n, RECEIVER, USDC), currency };
  expect(priceText(priceOf(planOf(own), USDC))).toBe("1.00 USDC");
});

test("an order keeps its price and credits when the plan changes", () => {
  const plan = planOf(getFreePriceConfig(), getFixedCreditsConfig(10n));
  const terms = orderedTerms(plan, {
    price: { currency: "usd", amount: "10000000", decimals: 6 },
    creditsGranted: "100",
    scheme: "svc:erc4337",
  });
  expect(priceText(terms.price)).toBe("10.00 USDC");
  expect(terms.price.isFree).toBe(false);
  expect(grantText(terms.plan)).toBe("100 credits");
  const card = { currency: "gbp", amount: "5000000", decimals: 6 };
  expect(
    priceText(
      orderedTerms(plan, { price: card, creditsGranted: "1", scheme: "svc:card-delegation" }).price,
    ),
  ).toBe("5.00 GBP");
});

test("a free plan is free", () => {
  expect(priceText(priceOf(planOf(getFreePriceConfig())))).toBe("Free");
});

test("the verb agrees with what was granted", () => {
  expect(addedText("100 credits")).toBe("100 credits added");
  expect(addedText("1 credit")).toBe("1 credit added");
  expect(addedText("Access for 30 days")).toBe("Access for 30 days added");
});
