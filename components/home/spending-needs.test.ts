import type { Budgets } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import type { UsedSubscription } from "../subscriptions/outlook.ts";
import { type SpendingFacts, spendingNeeds } from "./spending-needs.ts";

const NOW = "2026-11-21T12:00:00.000Z";
const needs = (more: Partial<SpendingFacts>) =>
  spendingNeeds({ now: NOW, waitingApprovals: 0, ...more });
const used = (more: Partial<UsedSubscription>) =>
  ({
    planId: "1",
    planName: "Starter",
    accessLimit: "credits",
    isActive: true,
    isTrial: false,
    available: "40",
    creditsUsed30d: "60",
    requests30d: 60,
    daysUsed: 3,
    ...more,
  }) as UsedSubscription;
const week = (used: string): Budgets => ({
  currency: "USD/USDC",
  limits: [
    {
      ...{ period: "week", unit: "money", limit: "10000", used },
      startedAt: "2026-11-16T00:00:00.000Z",
      resetsAt: "2026-11-23T00:00:00.000Z",
    },
  ],
});

test("a subscriber whose calls go on has nothing to do", () => {
  expect(needs({ subscriptions: [used({ available: "4000" })], budgets: week("7900") })).toEqual(
    [],
  );
});

test("credits that run out within days can be bought before calls are declined", () => {
  expect(needs({ subscriptions: [used({})] })).toMatchObject([
    {
      title: "“Starter” lasts about 2 days",
      action: { label: "Buy credits", href: "/checkout/1" },
    },
  ]);
  expect(needs({ subscriptions: [used({ isActive: false, available: "0" })] })).toMatchObject([
    { title: "No credits left on “Starter”", action: { label: "Buy credits" } },
  ]);
  const trial = used({ isTrial: true });
  expect(needs({ subscriptions: [trial] })).toMatchObject([{ action: { href: "/explore" } }]);
});

test("a budget that is nearly used up, and one that is, say when they reset", () => {
  expect(needs({ budgets: week("8000") })).toMatchObject([
    { title: "Budget 80% used: This week", detail: "Resets 23 Nov, 00:00 UTC." },
  ]);
  expect(needs({ budgets: week("10000") })).toMatchObject([
    {
      title: "Budget used up: This week",
      detail: "Orders and calls above it are declined. Resets 23 Nov, 00:00 UTC.",
      action: { label: "Edit budgets" },
    },
  ]);
});

test("requests that wait for an approval are counted", () => {
  expect(needs({ waitingApprovals: 1 })).toMatchObject([
    { title: "1 request waits for your approval", action: { href: "/approvals" } },
  ]);
});
