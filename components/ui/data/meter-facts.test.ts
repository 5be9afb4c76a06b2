import { expect, test } from "vitest";
import { type MeterLimits, measureMeter, shareText } from "./meter-facts.ts";

const NOW = new Date("2026-11-21T14:10:00Z");

const limits = (more: Partial<MeterLimits> = {}): MeterLimits => ({
  spendingLimitCents: 5_000n,
  amountSpentCents: 3_000n,
  amountReservedCents: 680n,
  ...more,
});

test("spent, reserved and left add up to the limit", () => {
  const facts = measureMeter(limits(), NOW);
  expect(facts.spent).toEqual({ percent: 60, tone: "plain" });
  expect(facts.reservedPercent).toBeCloseTo(13.6);
  expect(facts.remainingCents).toBe(1_320n);
  expect(facts.nearest).toBe("money");
  expect(facts.count).toBeUndefined();
  expect(facts.time).toBeUndefined();
});

test("the limit with the largest used share is the nearest", () => {
  const week = { createdAt: "2026-11-15T14:00:00Z", expiresAt: "2026-11-22T14:00:00Z" };
  const facts = measureMeter(limits({ ...week, transactionCount: 4, maxTransactions: 10 }), NOW);
  expect(facts.nearest).toBe("time");
  expect(facts.time).toMatchObject({ text: "23 h 50 m left", tone: "warn" });
  expect(facts.count).toMatchObject({ percent: 40, text: "4 of 10 charges" });
  expect(measureMeter(limits({ transactionCount: 9, maxTransactions: 10 }), NOW).nearest).toBe(
    "count",
  );
});

test("warns from 80 percent, is full at 100 and never exceeds it", () => {
  const spent = (amountSpentCents: bigint) =>
    measureMeter(limits({ amountSpentCents, amountReservedCents: 0n }), NOW).spent;
  expect(spent(3_999n).tone).toBe("plain");
  expect(spent(4_000n).tone).toBe("warn");
  expect(spent(5_000n).tone).toBe("full");
  expect(spent(9_000n)).toEqual({ percent: 100, tone: "full" });
  expect(measureMeter(limits({ amountSpentCents: 9_000n }), NOW).remainingCents).toBe(0n);
});

test("keeps the share of amounts beyond safe integers", () => {
  const spendingLimitCents = 10n ** 30n;
  const facts = measureMeter(
    { spendingLimitCents, amountSpentCents: spendingLimitCents / 4n, amountReservedCents: 0n },
    NOW,
  );
  expect(facts.spent.percent).toBe(25);
});

test("shows a past expiry as expired, and a limit of zero as nothing to use up", () => {
  const facts = measureMeter(
    limits({ spendingLimitCents: 0n, amountSpentCents: 0n, expiresAt: "2026-11-18T09:12:00Z" }),
    NOW,
  );
  expect(facts.time).toMatchObject({ percent: 100, text: "Expired" });
  expect(facts.spent).toEqual({ percent: 0, tone: "plain" });
  expect(facts.nearest).toBe("time");
});

test("names the count when count and amount are both used up", () => {
  const used = { amountSpentCents: 5_000n, amountReservedCents: 0n };
  expect(
    measureMeter(limits({ ...used, transactionCount: 1, maxTransactions: 1 }), NOW).nearest,
  ).toBe("count");
});

test("says a currency code once, and keeps symbols on both amounts", () => {
  expect(shareText("0.00 USDC", "20.00 USDC")).toBe("0.00 of 20.00 USDC");
  expect(shareText("5.00 USD", "20.00 USD")).toBe("5.00 of 20.00 USD");
});
