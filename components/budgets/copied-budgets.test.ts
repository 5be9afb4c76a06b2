import type { Budgets } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { copiedTexts } from "./copied-budgets.ts";

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

test("what is copied is listed", () => {
  expect(copiedTexts(budgets)).toEqual([
    "20.00 USDC per day",
    "40 credits per call for one agent",
    "the list of who can be paid",
    "the rules for approvals",
  ]);
});
