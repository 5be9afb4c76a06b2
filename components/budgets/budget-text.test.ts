import { expect, test } from "vitest";
import { amountIn, costText } from "./budget-text.ts";

const cost = { maxCents: "0", maxCredits: "0" } as Parameters<typeof costText>[0];

test("a cost is in the currency that is paid, and one credit is one", () => {
  expect(costText({ ...cost, maxCents: "100", currency: "usdc", maxCredits: "1" })).toBe(
    "1.00 USDC and 1 credit",
  );
  expect(costText({ ...cost, maxCents: "100", currency: "jpy" })).toBe("100 JPY");
  expect(costText({ ...cost, maxCredits: "1200" })).toBe("1,200 credits");
  expect(amountIn({ unit: "credits" }, "1", "usd")).toBe("1 credit");
});
