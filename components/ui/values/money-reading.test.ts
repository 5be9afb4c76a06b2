import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { echoMoney, readMoney } from "./money-reading.ts";
import { typedAmount } from "./money-text.ts";

describe("text to amount", () => {
  test.each([
    ["25", 6, 25_000_000n],
    ["25.", 6, 25_000_000n],
    [".5", 2, 50n],
    [" 10.10 ", 2, 1010n],
    ["1.50000000", 2, 150n],
    ["0", 6, 0n],
    ["0,5", 2, 50n],
    ["0.500", 2, 50n],
    ["1.500", 3, 1500n],
    ["1.500", 6, 1_500_000n],
    ["12,50", 2, 1250n],
    [",5", 2, 50n],
    ["12,", 2, 1200n],
    ["0,500", 6, 500_000n],
    ["1234,500", 6, 1_234_500_000n],
    ["0,000001", 6, 1n],
  ])("%s is read", (text, decimals, amount) => {
    expect(readMoney(text, decimals)).toEqual({ isAmount: true, amount });
  });

  test.each([
    ["", 2, "Enter an amount."],
    ["-1", 2, "Enter zero or more."],
    ["1,000", 2, "1,000 can mean 1000 or 1.00."],
    ["1.500", 2, "1.500 can mean 1500 or 1.50."],
    ["1.234", 2, "This currency has 2 decimals. For 1234, leave the separator out."],
    ["1.000", 0, "Enter a whole number without thousands separators, such as 1000."],
    ["12,345", 6, "12,345 can mean 12345 or 12.345"],
    ["1,000", 0, "without thousands separators"],
    ["1,000,000", 0, "without thousands separators"],
    ["1,000.50", 2, "no thousands separators"],
    ["1.000,50", 2, "no thousands separators"],
    ["1,000,000", 2, "no thousands separators"],
    ["1,5", 0, "Enter a whole number, such as 25."],
    ["0,001", 2, "This currency has 2 decimals; 0,001 has 3."],
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
