import { expect, test } from "vitest";
import { backStatus, backTexts, refundedText } from "./back-text.ts";

const back = { currency: "usd", amount: "2000000", decimals: 6, credits: "40" };

test("what went back of an order is its money and its credits", () => {
  expect(backTexts({ refunded: back })).toEqual(["−2.00 USD, −40 credits"]);
  expect(refundedText(back)).toBe("2.00 USD, 40 credits removed");
  expect(backTexts({ refunded: { ...back, credits: "0" } })).toEqual(["−2.00 USD"]);
  expect(refundedText({ ...back, credits: "0" })).toBe("2.00 USD");
});

test("what a bank has is disputed, and not refunded", () => {
  expect(backTexts({ refunded: back, disputed: back })).toEqual([
    "−2.00 USD, −40 credits",
    "−2.00 USD disputed, −40 credits",
  ]);
});

test.each([
  ["minted", {}, undefined],
  ["minted", { refunded: back }, "Partly refunded"],
  ["minted", { refunded: back, disputed: back }, "Partly disputed"],
  ["refunded", { refunded: back }, undefined],
  ["refunded", { disputed: back }, "Disputed"],
  ["refunded", { refunded: back, disputed: back }, undefined],
])("the status of an order that is %s with %o is %s", (status, parts, word) => {
  expect(backStatus({ status, ...parts })).toBe(word);
});
