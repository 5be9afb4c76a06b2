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
  const { amount } = readWithdrawal(text, available, 0n);
  expect(withdrawalSums(amount, available)).toEqual({ sent, after });
});

test("more than is available says how much that is", () => {
  expect(readWithdrawal("1500", 1_000_000_000n, 0n)).toEqual({
    fault: "Only 1,000.00 USDC is available.",
  });
});

test("less than the service sends says what the least is", () => {
  expect(readWithdrawal("0.009999", 1_000_000_000n, 10_000n)).toEqual({
    fault: "Withdraw at least 0.01 USDC.",
  });
  expect(readWithdrawal("0.01", 1_000_000_000n, 10_000n)).toEqual({ amount: 10_000n });
});
