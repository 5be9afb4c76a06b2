import { expect, test } from "vitest";
import { amountText } from "./money.ts";

test.each([
  ["jpy", 150_000_000n, "150 JPY"],
  ["jpy", 500_000n, "0.5 JPY"],
  ["usd", 5_000_000n, "5.00 USD"],
  ["usd", 10_500_000n, "10.50 USD"],
  ["usdc", 1_234_500n, "1.2345 USDC"],
  ["usdc", 1n, "0.000001 USDC"],
  ["bhd", 1_500_000n, "1.50 BHD"],
  ["0xAB", 100n, "100 0XAB"],
])("an amount in %s has the decimals that the currency has", (currency, amount, text) => {
  expect(amountText(currency, amount)).toBe(text);
});
