import { expect, test } from "vitest";
import { backText, isPartlyRefunded, refundedText } from "./back-text.ts";

const back = { currency: "usd", amount: "2000000", decimals: 6, credits: "40" };

test("what went back of an order is its money and its credits", () => {
  expect(backText(back)).toBe("−2.00 USD, −40 credits");
  expect(refundedText(back)).toBe("2.00 USD, 40 credits removed");
  expect(backText({ ...back, credits: "0" })).toBe("−2.00 USD");
  expect(refundedText({ ...back, credits: "0" })).toBe("2.00 USD");
});

test("an order is partly refunded while something of it is left", () => {
  expect(isPartlyRefunded({ status: "minted", refunded: back })).toBe(true);
  expect(isPartlyRefunded({ status: "minted" })).toBe(false);
  expect(isPartlyRefunded({ status: "refunded", refunded: back })).toBe(false);
});
