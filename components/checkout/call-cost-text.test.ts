import {
  getCryptoPriceConfig,
  getDynamicCreditsConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  type Plan,
} from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { callCostText, priceOf } from "./plan-price.ts";

const RECEIVER = "0x54F6EcF00fdEea628a15E3831f28a77B908B9812";
const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const usdc = (amount: bigint) => getCryptoPriceConfig(amount, RECEIVER, USDC);

const costOf = (price: Plan["registry"]["price"], credits: Plan["registry"]["credits"]) => {
  const plan = {
    registry: { price, credits },
    metadata: { main: { name: "Plan" }, plan: { isTrialPlan: false } },
  };
  return callCostText(plan, priceOf(plan, USDC));
};

test.each([
  [
    "a flexible plan",
    usdc(1_000_000n),
    getDynamicCreditsConfig(100n, 1n, 10n),
    "0.01 to 0.10 USDC",
  ],
  ["a fixed plan", usdc(10_000_000n), getFixedCreditsConfig(100n), "0.10 USDC"],
  ["a tiny price", usdc(1n), getFixedCreditsConfig(100n), "less than 0.000001 USDC"],
  [
    "a rounded cost",
    getFiatPriceConfig(1_000_000n, RECEIVER),
    getFixedCreditsConfig(3n),
    "about 0.333333 USD",
  ],
  ["a free plan", getFreePriceConfig(), getFixedCreditsConfig(3n), "Free"],
])("the cost of a call of %s", (_, price, credits, text) => {
  expect(costOf(price, credits)).toBe(text);
});
