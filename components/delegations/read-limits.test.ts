import { expect, test } from "vitest";
import { minorText } from "../ui/values/money-text.ts";
import { readLimits, repeatLimits, USUAL_LIMITS, usualLimit } from "./read-limits.ts";

const draft = { limit: "20.00", durationSecs: 604_800, maxTransactions: "5" };

test("limits are read in cents, exactly", () => {
  expect(readLimits(draft, "usd")).toEqual({
    limits: { spendingLimitCents: "2000", durationSecs: 604_800, maxTransactions: 5 },
  });
  expect(readLimits({ ...draft, limit: "90071992547409.93", maxTransactions: "" }, "usd")).toEqual({
    limits: { spendingLimitCents: "9007199254740993", durationSecs: 604_800 },
  });
});

test.each([
  ["", "Enter an amount."],
  ["0", "Enter an amount above zero."],
  ["1,000", "1,000 can mean 1000 or 1.00. Enter one of them."],
  ["0.50", "This is less than one order costs."],
  ["1000000000000000000", "Enter 9,999,999,999,999,999.99 or less."],
])("the limit %j is rejected with what to do", (limit, fault) => {
  expect(readLimits({ ...draft, limit }, "usd", 100n)).toEqual({ faults: { limit: fault } });
});

test("a count is a whole number or nothing", () => {
  expect(
    readLimits({ ...draft, maxTransactions: "0" }, "usd").faults?.maxTransactions,
  ).toBeDefined();
  expect(
    readLimits({ ...draft, maxTransactions: "1.5" }, "usd").faults?.maxTransactions,
  ).toBeDefined();
});

test.each([
  ["JPY", "1500", "1500", 1_500n],
  ["kwd", "1500.25", "1500.250", 1_500_250n],
])("a limit in %s counts its minor units", (currency, usual, typed, minor) => {
  expect(usualLimit(minor, currency)).toBe(usual);
  expect(readLimits({ ...draft, limit: typed }, currency)).toMatchObject({
    limits: { spendingLimitCents: minor.toString() },
  });
});

test("a limit in yen has no decimals", () => {
  const { faults } = readLimits({ ...draft, limit: "20.5" }, "jpy");
  expect(faults?.limit).toContain("whole number");
});

test("the limits on offer fit a currency without cents", () => {
  const texts = (currency: string) => USUAL_LIMITS.map((cents) => minorText(cents, currency));
  expect(texts("usd")).toEqual(["5.00 USD", "20.00 USD", "50.00 USD"]);
  expect(texts("jpy")).toEqual(["500 JPY", "2,000 JPY", "5,000 JPY"]);
});

test("an order that may be repeated promises no number of charges that its limit does not have", () => {
  const draft = repeatLimits(500n, "usd");
  expect(draft).toMatchObject({ limit: "10.00", maxTransactions: "" });
  expect(readLimits(draft, "usd", 500n)).toEqual({
    limits: { spendingLimitCents: "1000", durationSecs: 2_592_000 },
  });
});
