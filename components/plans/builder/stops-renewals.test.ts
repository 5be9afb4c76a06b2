import {
  getErc20PriceConfig,
  getExpirableDurationConfig,
  getFiatPriceConfig,
} from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import type { PlanTerms } from "../plan-terms.ts";
import { MARKET, OWN_ADDRESS, USDC } from "../testing/arbitrary-plan.ts";
import { stopsRenewals } from "./stops-renewals.ts";

const MONTH = 30n * 86_400n;
const now: PlanTerms = {
  price: getFiatPriceConfig(10_000_000n, OWN_ADDRESS),
  credits: getExpirableDurationConfig(MONTH),
  accessLimit: "time",
  isTrial: false,
};

test("a version stops renewals where its price, currency or time is another than was agreed to", () => {
  expect(stopsRenewals(now, now, MARKET)).toBe(false);
  const price = { ...now.price, receivers: ["0x3333333333333333333333333333333333333333"] };
  expect(stopsRenewals(now, { ...now, price }, MARKET)).toBe(false);
  for (const next of [
    { price: getFiatPriceConfig(11_000_000n, OWN_ADDRESS) },
    { price: { ...now.price, currency: "EUR" } },
    { price: getErc20PriceConfig(10_000_000n, USDC, OWN_ADDRESS) },
    { credits: getExpirableDurationConfig(2n * MONTH) },
  ]) {
    expect(stopsRenewals(now, { ...now, ...next }, MARKET)).toBe(true);
  }
});
