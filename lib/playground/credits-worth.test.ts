import type { Plan } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { worthValues } from "./credits-worth.ts";

type Terms = {
  amounts?: string[];
  granted?: string;
  currency?: string;
  isCrypto?: boolean;
  isValued?: boolean;
  accessLimit?: "credits" | "time";
};

const plan = ({ amounts = ["900000", "100000"], granted = "100", ...terms }: Terms = {}): Plan =>
  ({
    metadata: {
      plan: {
        accessLimit: terms.accessLimit ?? "credits",
        ...(terms.isValued !== false && { orderCost: { currency: "usd", cents: "100" } }),
      },
    },
    registry: {
      price: { amounts, isCrypto: terms.isCrypto ?? true, currency: terms.currency },
      credits: { amount: granted },
    },
  }) as unknown as Plan;

describe("the cost of used credits", () => {
  test("is the order's total price, the credits it grants and the credits used", () => {
    const values = { price: "1000000", granted: "100", used: "3", currency: "USDC" };
    expect(worthValues(plan({ currency: "USDC" }), 3n)).toEqual(values);
    expect(worthValues(plan(), 3n)).toEqual(values);
  });

  test("is in dollars on a card plan without a currency", () => {
    expect(worthValues(plan({ isCrypto: false }), 1n)).toMatchObject({ currency: "USD" });
  });

  test.each<[string, Plan | null]>([
    ["a plan that could not be read", null],
    ["a price in a token without a known value", plan({ isValued: false, currency: "USDC" })],
    ["a time-based plan", plan({ currency: "USDC", accessLimit: "time" })],
    ["a plan that grants nothing", plan({ currency: "USDC", granted: "0" })],
  ])("is empty for %s", (_what, of) => {
    expect(worthValues(of, 1n)).toEqual({});
  });
});
