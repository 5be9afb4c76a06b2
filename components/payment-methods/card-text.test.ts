import { expect, test } from "vitest";
import { cardText, expiryOf, expiryText } from "./card-text.ts";

test("a card is named by its brand and its last four digits", () => {
  expect(cardText({ brand: "visa", last4: "4242" })).toBe("Visa ending in 4242");
  expect(cardText({ brand: "newbrand", last4: "1" })).toBe("newbrand ending in 1");
  expect(expiryText({ expMonth: 4, expYear: 2029 })).toBe("04/2029");
});

test("a card is good to the last day of its month", () => {
  const card = { expMonth: 11, expYear: 2026 };
  expect(expiryOf(card, new Date("2026-11-30T23:59:59Z"))).toBe("soon");
  expect(expiryOf(card, new Date("2026-12-01T00:00:00Z"))).toBe("expired");
  expect(expiryOf(card, new Date("2026-06-01T00:00:00Z"))).toBe("good");
  expect(expiryOf({ ...card, isExpired: true }, new Date("2026-06-01T00:00:00Z"))).toBe("expired");
});
