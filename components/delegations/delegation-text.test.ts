import type { DelegationSummary } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { byExpiry, canTopUp, endOf } from "./delegation-text.ts";

const delegation = (more: Partial<DelegationSummary>) =>
  ({ status: "Active", expiresAt: "2026-12-21T14:00:00.000Z", ...more }) as DelegationSummary;
const unsigned = delegation({ status: "Expired", signBefore: "2026-11-21T15:00:00.000Z" });

test("a delegation that no one signed in time ended then, and not when it would have expired", () => {
  expect(endOf(unsigned)).toBe("2026-11-21T15:00:00.000Z");
  expect(endOf(delegation({}))).toBe("2026-12-21T14:00:00.000Z");
  const waits = delegation({ status: "AwaitingSignature", signBefore: unsigned.signBefore });
  expect(endOf(waits)).toBe("2026-12-21T14:00:00.000Z");
});

test("of the delegations that are over the newest come first, by when they ended", () => {
  const later = delegation({ status: "Expired", expiresAt: "2026-11-22T15:00:00.000Z" });
  expect([unsigned, later].toSorted(byExpiry)).toEqual([later, unsigned]);
});

describe("a delegation for top-ups", () => {
  const any = delegation({
    ...{ delegationId: "d1", provider: "erc4337", planIds: [], currency: "usd" },
  });
  const plan = { planId: "1", price: { isCard: false, limitCurrency: "usd" }, tokens: [] };

  test("is also one for any plan that pays the same way, in the plan's currency", () => {
    expect(canTopUp(any, plan)).toBe(true);
    expect(canTopUp(any, { ...plan, price: { ...plan.price, isCard: true } })).toBe(false);
    expect(canTopUp({ ...any, currency: "eur" }, plan)).toBe(false);
    expect(canTopUp({ ...any, status: "Exhausted" }, plan)).toBe(false);
    expect(canTopUp(any, { ...plan, price: null })).toBe(false);
  });

  test("is one for the plan or under one of its tokens, also before it is signed", () => {
    const own = delegation({ ...any, planIds: ["1"], status: "AwaitingSignature" });
    expect(canTopUp(own, plan)).toBe(true);
    expect(canTopUp(own, { ...plan, planId: "2" })).toBe(false);
    const tokens = [{ delegationId: "d1" }];
    expect(canTopUp(own, { ...plan, planId: "2", tokens })).toBe(true);
    expect(canTopUp({ ...own, status: "Revoked" }, { ...plan, tokens })).toBe(false);
  });
});
