import { describe, expect, test } from "vitest";
import { amountText, groupDigits, minorText, moneyText } from "./money-text.ts";

describe("amount to text", () => {
  test.each([
    ["25000000", 6, "25.00"],
    ["1", 6, "0.000001"],
    ["100500", 6, "0.1005"],
    ["123456789012", 2, "1,234,567,890.12"],
    ["5", 0, "5"],
    ["0", 2, "0.00"],
    ["7", 1, "0.7"],
    ["-1999", 2, "−19.99"],
    ["1000000000000000000", 18, "1.00"],
  ])("%s with %i decimals is %s", (amount, decimals, text) => {
    expect(amountText(amount, decimals)).toBe(text);
    expect(amountText(BigInt(amount), decimals)).toBe(text);
  });

  test("has the code of its currency, and no decimals where that has none", () => {
    expect(moneyText("5000", 2, "usd")).toBe("50.00 USD");
    expect(moneyText("-5000", 2, "USD")).toBe("−50.00 USD");
    expect(moneyText("1500000000", 6, "jpy")).toBe("1,500 JPY");
    expect(moneyText("1500500000", 6, "JPY")).toBe("1,500.5 JPY");
    expect(moneyText("10000000", 6, "USDC")).toBe("10.00 USDC");
  });

  test("groups digits by three and rejects anything but whole numbers", () => {
    expect(["7", "1284", "-1000000"].map(groupDigits)).toEqual(["7", "1,284", "−1,000,000"]);
    expect(() => groupDigits("1.5")).toThrow('"1.5" is not a whole number.');
  });
});

test.each([
  ["jpy", "500 JPY"],
  ["usd", "5.00 USD"],
  ["USDC", "5.00 USDC"],
  ["KWD", "0.50 KWD"],
])("minor units of %s are written as %s", (currency, text) => {
  expect(minorText(500n, currency)).toBe(text);
});
