import { expect, test } from "vitest";
import { amountsOnRail, type KeptAmounts } from "./plan-draft.ts";

const receivers = (...amounts: string[]) => amounts.map((amount) => ({ address: "", amount }));
const move = (from: string, to: string, amounts: string[], kept: KeptAmounts = {}) =>
  amountsOnRail({ rail: from as "card", receivers: receivers(...amounts) }, to as "card", kept);

test("10 USDC never become 10 ETH or 10 of another token", () => {
  expect(move("stablecoin", "native", ["10.00"]).amounts).toEqual([""]);
  expect(move("card", "token", ["10.00", "2"]).amounts).toEqual(["", ""]);
});

test("a card amount is a stablecoin amount, and a free plan changes none", () => {
  expect(move("stablecoin", "card", ["10.00"]).amounts).toEqual(["10.00"]);
  expect(move("stablecoin", "free", ["10.00"]).amounts).toEqual(["10.00"]);
});

test("going back restores what was typed, also by way of a free plan", () => {
  const free = move("stablecoin", "free", ["10.00"]);
  const native = move("free", "native", free.amounts, free.kept);
  expect(native.amounts).toEqual([""]);
  const back = move("native", "card", ["0.004"], native.kept);
  expect(back.amounts).toEqual(["10.00"]);
  expect(move("card", "native", back.amounts, back.kept).amounts).toEqual(["0.004"]);
  const same = move("free", "stablecoin", free.amounts, free.kept);
  expect(same.amounts).toEqual(["10.00"]);
});
