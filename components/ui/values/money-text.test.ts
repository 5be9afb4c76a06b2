import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import {
  amountText,
  echoMoney,
  groupDigits,
  minorText,
  moneyText,
  readMoney,
  typedAmount,
} from "./money-text.ts";

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

  test("shows the sign of a known currency, the code of any other or on request", () => {
    expect(moneyText("5000", 2, "USD")).toBe("$50.00");
    expect(moneyText("-5000", 2, "USD")).toBe("−$50.00");
    expect(moneyText("5000", 2, "USD", { withCode: true })).toBe("50.00 USD");
    expect(moneyText("10000000", 6, "USDC")).toBe("10.00 USDC");
  });

  test("groups digits by three and rejects anything but whole numbers", () => {
    expect(["7", "1284", "-1000000"].map(groupDigits)).toEqual(["7", "1,284", "−1,000,000"]);
    expect(() => groupDigits("1.5")).toThrow('"1.5" is not a whole number.');
  });
});

describe("text to amount", () => {
  test.each([
    ["25", 6, 25_000_000n],
    ["25.", 6, 25_000_000n],
    [".5", 2, 50n],
    [" 10.10 ", 2, 1010n],
    ["1.50000000", 2, 150n],
    ["0", 6, 0n],
  ])("%s is read", (text, decimals, amount) => {
    expect(readMoney(text, decimals)).toEqual({ isAmount: true, amount });
  });

  test.each([
    ["", 2, "Enter an amount."],
    ["-1", 2, "Enter zero or more."],
    ["1,000", 2, "no thousands separators"],
    ["1.2.3", 2, "digits and one decimal point"],
    ["1e3", 2, "digits and one decimal point"],
    [".", 2, "digits and one decimal point"],
    ["0.001", 2, "This currency has 2 decimals; 0.001 has 3."],
    ["1.5", 0, "Enter a whole number, such as 25."],
    ["x", 0, "Enter a whole number, such as 25."],
  ])("“%s” is rejected with a reason", (text, decimals, words) => {
    const reading = readMoney(text, decimals);
    expect(reading.isAmount).toBe(false);
    expect(JSON.stringify(reading)).toContain(words);
  });

  property.prop([fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.integer({ min: 0, max: 24 })])(
    "what is written reads back as the same amount",
    (amount, decimals) => {
      const text = typedAmount(amount, decimals);
      expect(readMoney(text, decimals)).toEqual({ isAmount: true, amount });
    },
  );

  test("echoes the smallest unit, and is empty for invalid text", () => {
    expect(echoMoney("25.00", 6)).toBe("= 25,000,000 (6 decimals)");
    expect(echoMoney("1.5", 1)).toBe("= 15 (1 decimal)");
    expect(echoMoney("twelve", 6)).toBe("");
  });
});

test.each([
  ["jpy", "500 JPY"],
  ["usd", "$5.00"],
  ["USDC", "5.00 USDC"],
  ["KWD", "0.50 KWD"],
])("minor units of %s are written as %s", (currency, text) => {
  expect(minorText(500n, currency)).toBe(text);
});
