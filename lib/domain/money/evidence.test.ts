import { describe, expect, test } from "vitest";
import type { DeliveryFacts, DisputeRecord } from "./dispute-ports.ts";
import { composeEvidence } from "./evidence.ts";

const AT = new Date("2026-11-24T16:12:36Z");
const ORDER = {
  orderId: "order-1",
  account: "0x01",
  planId: "42",
  currency: "usd",
  price: 5_000_000n,
  chargedAt: AT,
  createdAt: AT,
} as DisputeRecord["order"];
const FACTS: DeliveryFacts = {
  planVersion: { version: 1, createdAt: AT },
  planDescription: "",
  earlierOrders: [],
  calls: 0,
  credits: 0n,
  refundedCalls: 0,
  first: null,
  last: null,
  log: [],
  ledgerHead: "ab12",
};
const call = {
  at: AT,
  agentRequestId: "request-1",
  credits: 1n,
  settlementId: "set_1",
  method: "POST",
  path: "/ask",
  httpStatus: 200,
  workMs: 12,
};
const earlier = { at: AT, price: 5_000_000n, currency: "usd" };
const evidence = (facts: Partial<DeliveryFacts>) =>
  composeEvidence(
    { order: ORDER, planName: "Starter", amount: 5_000_000n },
    { ...FACTS, ...facts },
    "https://t.example",
  );

describe("evidence for a bank", () => {
  test("counts calls in words that fit, and lists none where none was made", () => {
    const headOf = (facts: Partial<DeliveryFacts>) =>
      evidence(facts).access_activity_log.split("\n")[0];
    expect(evidence({}).access_activity_log).toBe("No calls. Ledger head: ab12");
    expect(headOf({ calls: 1, log: [call] })).toBe("1 call. Ledger head: ab12");
    expect(headOf({ calls: 2, log: [call, call] })).toBe(
      "2 calls, newest first. Ledger head: ab12",
    );
    expect(headOf({ calls: 250, log: [call, call] })).toBe(
      "250 calls; the last 2, newest first. Ledger head: ab12",
    );
  });

  test("says how many calls were refunded, and of none that none was made", () => {
    const textOf = (facts: Partial<DeliveryFacts>) => evidence(facts).uncategorized_text;
    expect(textOf({})).toContain("No call was made yet.");
    expect(textOf({ refundedCalls: 1 })).toMatch(/is disputed\. The only call was refunded\.$/);
    expect(textOf({ calls: 1, refundedCalls: 2 })).toContain(
      "2 more calls were refunded and are not counted.",
    );
  });

  test("quotes the plan's name, and says of earlier orders that none was reversed", () => {
    const textOf = (facts: Partial<DeliveryFacts>) => evidence(facts).uncategorized_text;
    expect(textOf({})).toContain('ordered plan "Starter" for 5.00 USD');
    expect(textOf({ earlierOrders: [earlier] })).toContain(
      "paid for 1 earlier order, on 2026-11-24 16:12:36 UTC, which was not reversed.",
    );
    expect(textOf({ earlierOrders: [earlier, earlier] })).toContain(
      "paid for 2 earlier orders since 2026-11-24 16:12:36 UTC, none of which was reversed.",
    );
  });
});
