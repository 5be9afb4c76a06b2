import { expect, test } from "vitest";
import type { RailPrice } from "../rails/rail.ts";
import { createRails } from "../rails/rails.ts";
import { approvalCurrency } from "./approval-currency.ts";

const rail = (isCrypto: boolean) =>
  ({
    scheme: isCrypto ? "x:chain" : "x:card",
    fiatProvider: isCrypto ? undefined : "bank",
    takes: (price: RailPrice) => price.isCrypto === isCrypto,
  }) as unknown as Parameters<typeof createRails>[0][number];

const asked = (isCrypto: boolean, offered: boolean[]) =>
  approvalCurrency(
    { rails: createRails(offered.map(rail), []) },
    { currency: "usd", planPrice: { isCrypto } as RailPrice },
  );

test.each([
  ["a plan on chain", true, [true, false], "usdc"],
  ["a plan by card", false, [true, false], "usd"],
  ["a plan whose rail is not offered any more", false, [true], "usd"],
  ["a plan on chain where only cards are offered", true, [false], "usd"],
])("%s asks in its currency", (_name, isCrypto, offered, currency) => {
  expect(asked(isCrypto, offered)).toBe(currency);
});

test("an order without a currency, a token without a par value, has none", () => {
  const rails = createRails([rail(true)], []);
  const planPrice = { isCrypto: true } as RailPrice;
  expect(approvalCurrency({ rails }, { currency: null, planPrice })).toBeNull();
});
