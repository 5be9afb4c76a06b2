import { describe, expect, test } from "vitest";
import type { Home } from "@/lib/console/figures.ts";
import { checklistsOf, isComplete, stepsOf } from "./checklist-steps.ts";
import { homeFigures, NO_CALLS, worthNote } from "./home-figures.ts";

const EMPTY: Home = {
  now: "2026-11-21T14:10:00.000Z",
  builder: {
    plans: 0,
    agents: 0,
    settled24h: 0,
    creditsEarned24h: "0",
    unsettled: 0,
    creditsDue: "0",
    hasChallenged: false,
    hasSettled: false,
  },
  subscriber: {
    subscriptions: 0,
    tokens: 0,
    hasLimit: false,
    settled24h: 0,
    creditsUsed24h: "0",
    unsettled: 0,
    activeDelegations: 0,
    delegationAlerts: 0,
    hasSettled: false,
  },
  disputes: { open: 0, late: 0 },
  inbox: { openAlerts: 0, waitingApprovals: 0 },
};
const builder = (more: Partial<typeof EMPTY.builder>) => ({
  ...EMPTY,
  builder: { ...EMPTY.builder, ...more },
});
const ticks = (...of: Parameters<typeof stepsOf>) => stepsOf(...of).map(({ isDone }) => isDone);

describe("the checklist", () => {
  test("is both roles' for a new account, or the chosen one's; then of the sides it has", () => {
    expect(checklistsOf(EMPTY, "both")).toEqual(["builder", "subscriber"]);
    expect(checklistsOf(EMPTY, "subscriber")).toEqual(["subscriber"]);
    expect(checklistsOf(builder({ plans: 1 }), "subscriber")).toEqual(["builder"]);
    const done = builder({ plans: 1, hasChallenged: true, hasSettled: true });
    expect(checklistsOf(done, "builder")).toEqual([]);
  });

  test("ticks nothing off for a new account", () => {
    expect(ticks("builder", EMPTY)).toEqual([false, false, false]);
    expect(ticks("subscriber", EMPTY)).toEqual([false, false, false]);
  });

  test("a limit is set by a delegation that can spend money, and not needed once a call is settled", () => {
    const of = (more: Partial<typeof EMPTY.subscriber>) =>
      ticks("subscriber", { ...EMPTY, subscriber: { ...EMPTY.subscriber, ...more } });
    const bought = { subscriptions: 1, tokens: 1, activeDelegations: 1 };
    expect(of(bought)).toEqual([true, false, false]);
    expect(of({ ...bought, hasLimit: true })).toEqual([true, true, false]);
    expect(of({ ...bought, hasSettled: true })).toEqual([true, true, true]);
  });

  test("a registered agent is ticked off only once it has answered 402", () => {
    expect(ticks("builder", builder({ plans: 1, agents: 1 }))).toEqual([true, false, false]);
    expect(ticks("builder", builder({ plans: 1, agents: 1, hasChallenged: true }))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("an agent that is registered is checked, not registered again", () => {
    const actionOf = (more: Partial<typeof EMPTY.builder>) =>
      stepsOf("builder", builder(more))[1]?.action;
    expect(actionOf({ agents: 1 })).toEqual({ label: "Register an agent", href: "/agents/new" });
    expect(actionOf({ agents: 1, agentId: "7" })).toEqual({
      label: "Run checks",
      href: "/agents/7/checks",
    });
  });

  test("an account without calls reads whose would appear", () => {
    expect(NO_CALLS.builder).toBe("Calls appear here once your agent has received one.");
    expect(NO_CALLS.subscriber).toBe("Calls you make appear here.");
  });

  test("is complete once a call is settled", () => {
    expect(
      isComplete("builder", builder({ plans: 1, hasChallenged: true, hasSettled: true })),
    ).toBe(true);
  });
});

describe("the four figures", () => {
  const coins = { currency: "usdc", amount: "195000000", decimals: 6 };

  test("of a builder name what they compare with, and keep currencies apart", () => {
    const home = builder({
      settled24h: 1284,
      creditsEarned24h: "2310",
      unsettled: 3,
      creditsDue: "5",
      oldestUnsettledAt: "2026-11-19T13:20:00.000Z",
    });
    const sold = { ...coins, orders: 2, refunded: "0", refunds: 0, previous: "100000000" };
    const figures = homeFigures({
      role: "builder",
      home,
      settledBefore: 1208,
      earnings: { worth: [coins], totals: [sold] },
    });
    expect(figures.map(({ value, note }) => `${value} | ${note}`)).toEqual([
      "1,284 | 1,208 in the previous period, +6%",
      "3 | Up to 5 credits, oldest 19 Nov 2026",
      "2,310 | Worth 195.00 USDC",
      "195.00 USDC | 100.00 USDC in the previous period, +95%",
    ]);
  });

  test("of a subscriber say what all delegations can spend, by currency", () => {
    const limit = (currency: string, remaining: string) => ({
      currency,
      remaining,
      reserved: "0",
      reserving: 0,
    });
    const delegations = { active: 151, limits: [limit("usd", "3000"), limit("usdc", "12345")] };
    expect(homeFigures({ role: "subscriber", home: EMPTY, delegations }).at(-1)).toMatchObject({
      value: ["30.00 USD", "123.45 USDC"],
      note: "151 active delegations",
    });
  });

  test("leave out what could not be read", () => {
    const [settled, , , sold] = homeFigures({ role: "builder", home: EMPTY });
    expect([settled?.note, sold?.value, sold?.note]).toEqual([undefined, "–", undefined]);
    expect(worthNote([])).toBeUndefined();
  });
});
