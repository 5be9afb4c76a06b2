import type { DelegationSummary } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { byExpiry, endOf } from "./delegation-text.ts";

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
