import { expect, test } from "vitest";
import { readLimits } from "./read-limits.ts";

const draft = { limit: "20.00", durationSecs: 604_800, maxTransactions: "5" };

test("limits are read in cents, exactly", () => {
  expect(readLimits(draft)).toEqual({
    limits: { spendingLimitCents: "2000", durationSecs: 604_800, maxTransactions: 5 },
  });
  expect(readLimits({ ...draft, limit: "90071992547409.93", maxTransactions: "" })).toEqual({
    limits: { spendingLimitCents: "9007199254740993", durationSecs: 604_800 },
  });
});

test.each([
  ["", "Enter an amount."],
  ["0", "Enter an amount above zero."],
  ["1,000", "Write the fraction after a point and no comma between thousands: 1000.50."],
  ["0.50", "This is less than one order costs."],
])("the limit %j is refused in words", (limit, fault) => {
  expect(readLimits({ ...draft, limit }, 100n)).toEqual({ faults: { limit: fault } });
});

test("a count is a whole number or nothing", () => {
  expect(readLimits({ ...draft, maxTransactions: "0" }).faults?.maxTransactions).toBeDefined();
  expect(readLimits({ ...draft, maxTransactions: "1.5" }).faults?.maxTransactions).toBeDefined();
});
