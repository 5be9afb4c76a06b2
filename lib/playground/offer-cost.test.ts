import type { Plan } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { planCost } from "./offer-cost.ts";

test.each([
  ["JPY", "1500000000", "1500 JPY"],
  ["EUR", "4500000", "4.50 EUR"],
])("a plan’s price in %s has its minor unit’s decimals", (currency, amount, text) => {
  const plan = {
    metadata: { main: { name: "Calls" }, plan: { accessLimit: "credits" } },
    registry: {
      price: { amounts: [amount], currency, isCrypto: false },
      credits: { amount: "10" },
    },
  } as unknown as Plan;
  const offer = { scheme: "svc:card-delegation", network: "card-processor", amount: "1" };
  expect(planCost(offer as Parameters<typeof planCost>[0], plan)).toContain(`for ${text}`);
});
