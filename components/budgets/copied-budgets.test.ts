import type { Budgets } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { copiedTexts, copyOf, countMoney } from "./copied-budgets.ts";

const DAY = { period: "day", unit: "money", limit: "2000" } as const;
const CALL = { period: "call", unit: "credits", limit: "40", agentId: "7" } as const;
const budgets: Budgets = {
  delegationId: "d1",
  currency: "USDC",
  limits: [
    { ...DAY, used: "150", resetsAt: "2026-01-02T00:00:00Z" },
    { ...CALL, used: "0" },
  ],
  allow: { agents: ["7"] },
  approval: { aboveCredits: 50n },
};

test("a copy of budgets has their limits without their use", () => {
  const { allow, approval } = budgets;
  expect(copyOf(budgets)).toEqual({ limits: [DAY, CALL], allow, approval });
  expect(copyOf({ currency: "usd", limits: [] })).toBeNull();
});

test("of two limits that differ in the amount alone, the lower one is copied", () => {
  const twice = [{ ...DAY, limit: "3000", used: "0" }, ...budgets.limits];
  expect(copyOf({ ...budgets, limits: twice })).toMatchObject({ limits: [DAY, CALL] });
});

test("what is copied is listed", () => {
  expect(copiedTexts(budgets)).toEqual([
    "20.00 USDC per day",
    "40 credits per call for one agent",
    "the list of who can be paid",
    "the rules for approvals",
  ]);
});

test("an approval above an amount counts money too", () => {
  expect(countMoney(budgets)).toBe(true);
  expect(countMoney({ ...budgets, limits: [] })).toBe(false);
  expect(countMoney({ ...budgets, limits: [], approval: { above: 1n } })).toBe(true);
});
