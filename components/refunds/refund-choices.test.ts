import { expect, test } from "vitest";
import { optionsOf } from "./refund-choices.tsx";

const ORDER = {
  orderId: "o",
  planId: "1",
  planName: "A month",
  subscriber: "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a100000001",
  currency: "usd" as const,
  paid: "5000000",
  refunded: "0",
  left: "5000000",
  unused: "2500000",
  step: "1",
  createdAt: "2026-01-31T12:00:00.000Z",
};

test("a plan of credits says how many are left and used", () => {
  const credits = { granted: "10", available: "5", held: "0", used: "5" };
  expect(
    optionsOf({ ...ORDER, credits, accessLimit: "credits" }).map(({ detail }) => detail),
  ).toEqual([
    "5 credits that can still be used",
    "You won’t be paid for 5 used credits",
    "Credits leave in proportion",
  ]);
});

test("a plan of time counts no credits", () => {
  const credits = { granted: "1", available: "1", held: "0", used: "0" };
  const texts = optionsOf({ ...ORDER, credits, accessLimit: "time" }).map(({ detail }) => detail);
  expect(texts.join()).not.toMatch(/credit/i);
});
