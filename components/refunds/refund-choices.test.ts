import { expect, test } from "vitest";
import { amountOf, optionsOf } from "./refund-choices.tsx";
import { refundVerb } from "./refund-text.ts";

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
  least: "0",
  createdAt: "2026-01-31T12:00:00.000Z",
};

test("a plan of credits says how many are left and used", () => {
  const credits = { granted: "10", available: "5", held: "0", used: "5" };
  expect(
    optionsOf({ ...ORDER, credits, accessLimit: "credits" }).map(({ detail }) => detail),
  ).toEqual([
    "5 credits that can still be used",
    "You won’t be paid for 5 used credits",
    "Credits are removed in proportion",
  ]);
});

test("an order of which nothing was used has one choice for all of it", () => {
  const credits = { granted: "10", available: "10", held: "0", used: "0" };
  const order = { ...ORDER, unused: ORDER.left, credits, accessLimit: "credits" as const };
  expect(optionsOf(order).map(({ value }) => value)).toEqual(["unused", "amount"]);
});

test("a plan of time counts no credits", () => {
  const credits = { granted: "1", available: "1", held: "0", used: "0" };
  const texts = optionsOf({ ...ORDER, credits, accessLimit: "time" }).map(({ detail }) => detail);
  expect(texts.join()).not.toMatch(/credit/i);
});

test("an order in the chain’s own coin is refunded with its 18 decimals", () => {
  const ether = {
    ...ORDER,
    currency: `0x${"0".repeat(40)}`,
    paid: "1234567890123456",
    left: "1234567890123456",
    unused: "617283945061728",
    credits: { granted: "2", available: "1", held: "0", used: "1" },
    accessLimit: "credits" as const,
  };
  expect(optionsOf(ether).map(({ aside }) => aside)).toEqual([
    "0.000617283945061728 ETH",
    "0.001234567890123456 ETH",
    "0.000000000000000001 to 0.001234567890123456 ETH",
  ]);
  expect(amountOf(ether, "amount", "0.000617")).toEqual({ amount: "617000000000000" });
  expect(amountOf(ether, "amount", "1")).toEqual({ fault: "At most 0.001234567890123456 ETH." });
  expect(refundVerb(ether.orderId, ether, "617000000000000")).toBe("Refund 0.000617 ETH");
});

test("what leaves no part of a step can be refunded, as all that is left", () => {
  const credits = { granted: "2", available: "1", held: "0", used: "1" };
  const order = { ...ORDER, currency: "huf", left: "409500000", step: "1000000", credits };
  expect(amountOf(order, "amount", "409.50")).toEqual({ amount: "409500000" });
  expect(amountOf(order, "amount", "0.50")).toEqual({ amount: "500000" });
  expect(amountOf(order, "amount", "0.25").fault).toBe("Enter a multiple of 1.00.");
});

test("an order in a token of unknown decimals is refunded in whole smallest units", () => {
  const credits = { granted: "2", available: "1", held: "0", used: "1" };
  const currency = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  const token = { ...ORDER, currency, left: "100", credits };
  expect(amountOf(token, "amount", "50")).toEqual({ amount: "50" });
  expect(amountOf(token, "amount", "0.5").fault).toBe("Enter a whole number, such as 25.");
});

test("a part that is less than the service sends is refunded only as all that is left", () => {
  const credits = { granted: "2", available: "1", held: "0", used: "1" };
  const order = { ...ORDER, currency: "usdc", left: "15000", least: "10000", credits };
  const [, , another] = optionsOf({ ...order, accessLimit: "credits" });
  expect(another?.aside).toBe("0.01 to 0.015 USDC");
  expect(amountOf(order, "amount", "0.009999")).toEqual({
    fault: "Enter at least 0.01, or everything that is left.",
  });
  expect(amountOf(order, "amount", "0.01")).toEqual({ amount: "10000" });
  expect(amountOf({ ...order, left: "5000" }, "amount", "0.005")).toEqual({ amount: "5000" });
});
