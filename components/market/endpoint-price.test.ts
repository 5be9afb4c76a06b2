import {
  getDynamicCreditsConfig,
  getErc20PriceConfig,
  getExpirableDurationConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import type { PlanTerms } from "../plans/plan-terms.ts";
import { MARKET, OWN_ADDRESS, USDC } from "../plans/testing/arbitrary-plan.ts";
import { endpointPrice } from "./endpoint-price.ts";

const ASK = "POST https://agent.example/ask";
const offer = (planId: string, more: Partial<PlanTerms>) => ({
  planId,
  name: `Plan ${planId}`,
  terms: {
    price: { ...getErc20PriceConfig(10_000_000n, USDC, OWN_ADDRESS), currency: "USDC" },
    credits: getFixedCreditsConfig(100n, 1n),
    accessLimit: "credits" as const,
    isTrial: false,
    ...more,
  },
});
const usdc = offer("usdc", {});
const card = offer("card", { price: getFiatPriceConfig(50_000_000n, OWN_ADDRESS, "USD") });
const trial = offer("trial", { price: getFreePriceConfig(), isTrial: true });
const flexible = offer("flexible", { credits: getDynamicCreditsConfig(250n, 1n, 10n) });
const monthly = offer("monthly", {
  credits: getExpirableDurationConfig(2_592_000n),
  accessLimit: "time",
});
const price = (plans: ReturnType<typeof offer>[], offers?: Record<string, string[]>) =>
  endpointPrice(ASK, plans, offers, MARKET);

test("an endpoint says what one call costs in each currency, and the credits it uses", () => {
  expect(price([usdc, card, trial])).toEqual({
    price: "0.10 USDC or 0.50 USD",
    credits: "1 credit",
  });
});

test("where plans or calls differ it is the lowest price", () => {
  expect(price([usdc, flexible])).toEqual({ price: "from 0.04 USDC", credits: "1 to 10 credits" });
});

test("plans that the last check did not see are left out", () => {
  expect(price([usdc, card], { [ASK]: ["card"] }).price).toBe("0.50 USD");
  expect(price([usdc, card], { [ASK]: [] })).toEqual({ price: "Stated in its 402" });
  expect(price([])).toEqual({ price: "Not on sale" });
});

test("free plans and passes count only where no call is paid for", () => {
  expect(price([trial]).price).toBe("Free");
  for (const plans of [[monthly], [trial, monthly]])
    expect(price(plans)).toEqual({ price: "Included in Plan monthly" });
  expect(price([monthly, usdc])).toEqual({ price: "0.10 USDC", credits: "1 credit" });
});
