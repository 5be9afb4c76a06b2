import { expect, test } from "vitest";
import { readWithdrawal, withdrawalSums } from "./withdrawal-amount.ts";

test.each([
  ["512.5", "512.50 USDC", "487.499995 USDC"],
  ["1500", "–", "–"],
  ["0", "–", "–"],
  ["", "–", "–"],
  ["1,500", "–", "–"],
])("of %j the summary says %s is sent and %s left", (text, sent, after) => {
  const available = 999_999_995n;
  const { amount } = readWithdrawal(text, available);
  expect(withdrawalSums(amount, available)).toEqual({ sent, after });
});

test("more than is available says how much that is", () => {
  expect(readWithdrawal("1500", 1_000_000_000n)).toEqual({
    fault: "Only 1,000.00 USDC is available.",
  });
});
