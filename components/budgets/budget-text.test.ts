import { expect, test } from "vitest";
import { countedIn } from "@/lib/console/paid-in.ts";
import { amountIn, costText, countsText } from "./budget-text.ts";

const cost = { maxCents: "0", maxCredits: "0" } as Parameters<typeof costText>[0];

test("a cost is in the currency that is paid, and one credit is one", () => {
  expect(costText({ ...cost, maxCents: "100", currency: "usdc", maxCredits: "1" })).toBe(
    "1.00 USDC and 1 credit",
  );
  expect(costText({ ...cost, maxCents: "100", currency: "jpy" })).toBe("100 JPY");
  expect(costText({ ...cost, maxCredits: "1200" })).toBe("1,200 credits");
  expect(amountIn({ unit: "credits" }, "1", "usd")).toBe("1 credit");
});

test("an account’s limits name the stablecoin that counts with the currency", () => {
  const counted = countedIn("usd");
  expect(amountIn({ unit: "money" }, "600", counted)).toBe("6.00 USD/USDC");
  expect(countsText(counted)).toBe(
    "Limits count USD and USDC together, 1 to 1. While one is set, plans in other currencies can’t be ordered.",
  );
});

test("limits in one currency name no other", () => {
  expect(amountIn({ unit: "money" }, "600", countedIn("jpy"))).toBe("600 JPY");
  expect(countsText("usdc")).toBe(
    "Limits count USDC. While one is set, plans in other currencies can’t be ordered.",
  );
});
