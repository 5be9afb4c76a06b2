import type { OrderSummary } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { paidLines } from "./paid-lines.ts";

const order = (orderId: string, status: OrderSummary["status"], amount: string): OrderSummary => ({
  orderId,
  status,
  planId: "1",
  planName: "Starter",
  scheme: "svc:erc4337",
  price: { currency: "usd", amount, decimals: 6 },
  creditsGranted: "100",
  isTopUp: true,
  delegationId: "d1",
  createdAt: `2026-11-21T10:0${orderId}:00Z`,
  updatedAt: `2026-11-21T10:0${orderId}:00Z`,
});
const total = (lines: { cents: bigint }[]) => lines.reduce((sum, { cents }) => sum + cents, 0n);

test("the lines add up to what is spent and reserved, oldest first", () => {
  const orders = [
    order("3", "charging", "6800000"),
    order("2", "minted", "10000000"),
    order("1", "declined", "1"),
  ];
  const lines = paidLines(
    { delegationId: "d1", amountSpentCents: 1_000n, amountReservedCents: 680n },
    orders,
  );
  expect(lines.map(({ key, isReserved }) => [key, isReserved])).toEqual([
    ["2", false],
    ["3", true],
  ]);
  expect(total(lines)).toBe(1_680n);
});

test("orders that were not loaded are one line", () => {
  const lines = paidLines(
    { delegationId: "d1", amountSpentCents: 3_000n, amountReservedCents: 0n },
    [order("2", "minted", "10000000")],
  );
  expect(lines[0]).toMatchObject({ text: "Other orders", cents: 2_000n });
  expect(total(lines)).toBe(3_000n);
});

test("another delegation's orders are left out", () => {
  expect(
    paidLines({ delegationId: "d2", amountSpentCents: 0n, amountReservedCents: 0n }, [
      order("2", "minted", "10000000"),
    ]),
  ).toEqual([]);
});

test("an order in a token that has no par value counts nothing, and names what it cost", () => {
  const price = { currency: `0x${"0".repeat(40)}`, amount: "10000000000000000", decimals: 18 };
  const lines = paidLines({ delegationId: "d1", amountSpentCents: 0n, amountReservedCents: 0n }, [
    { ...order("2", "minted", "0"), price },
    { ...order("1", "minted", "0"), price: { currency: `0x${"ab".repeat(20)}`, amount: "7" } },
  ]);
  expect(lines.map(({ text, cents }) => [text, cents])).toEqual([
    ["Starter, 100 credits for 7 smallest units of 0xabab…abab", 0n],
    ["Starter, 100 credits for 0.01 ETH", 0n],
  ]);
});
