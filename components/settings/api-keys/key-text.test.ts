import { KEY_PRESETS, KEY_SCOPES } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import {
  type ApiKey,
  describeRights,
  findPreset,
  idleDays,
  PRESETS,
  summaryOf,
} from "./key-text.ts";

test("rights are recognized as a preset whichever way they are written", () => {
  expect(findPreset(KEY_PRESETS.gate)).toBe("gate");
  const none = Object.fromEntries(KEY_SCOPES.map((scope) => [scope, "none"]));
  expect(findPreset({ ...none, calls: "write", plans: "read" })).toBe("gate");
  expect(findPreset({ calls: "write", plans: "write" })).toBeUndefined();
  expect(findPreset({})).toBeUndefined();
});

test("a gate's rights in words", () => {
  expect(describeRights(KEY_PRESETS.gate)).toEqual({
    can: "charge calls",
    reads: "plans and agents",
    cannot:
      "change plans or agents, set where sales are paid, order plans, mint tokens, pay any x402 seller from the balance, set spending limits, save or remove cards, write off requests, resend events, change alert rules, share runs, create or revoke keys, change webhook endpoints, refund, request refunds, answer disputes, withdraw, pay out, set budgets, approve waiting requests or change the account’s email address",
  });
  expect(describeRights(KEY_PRESETS.full)).toMatchObject({ reads: "", cannot: "" });
});

test("no key that pays sellers is said to be unable to take money out", () => {
  for (const rights of [KEY_PRESETS.buyer, { tokens: "write" }, { orders: "write" }] as const) {
    expect(describeRights(rights).cannot).not.toMatch(/withdraw|order plans/);
  }
  expect(describeRights({ tokens: "write" })).toMatchObject({
    can: "order plans, mint tokens, pay any x402 seller from the balance and set spending limits",
  });
  expect(describeRights({ activity: "write" }).cannot).not.toContain("charge calls");
});

test("the Buyer preset says that its keys also read activity and money, where it is chosen", () => {
  expect(describeRights(KEY_PRESETS.buyer).reads).toBe("calls, cards, activity and money");
  expect(PRESETS.buyer.detail).toContain("read activity and money");
});

test("a custom key is described by its scopes, also one that can do nothing", () => {
  const custom = (scopes: ApiKey["scopes"]) => summaryOf({ preset: "custom", scopes });
  expect(custom({ calls: "write", plans: "write", keys: "read" })).toBe(
    "Charge calls, change plans and agents and set where sales are paid; read API keys",
  );
  expect(custom({ activity: "read" })).toBe("Read activity");
  expect(custom({})).toBe("Nothing");
});

test("a key is idle after 30 days without use, counted from its creation if it was never used", () => {
  const now = new Date("2026-11-22T12:00:00Z");
  const key = { status: "Active", createdAt: "2026-01-01T00:00:00Z" } as ApiKey;
  expect(idleDays({ ...key, lastUsedAt: "2026-10-12T12:00:00Z" }, now)).toBe(41);
  expect(idleDays({ ...key, lastUsedAt: "2026-11-20T12:00:00Z" }, now)).toBeUndefined();
  expect(idleDays(key, now)).toBe(325);
  expect(idleDays({ ...key, status: "Revoked" }, now)).toBeUndefined();
});
