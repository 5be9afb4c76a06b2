import { describe, expect, test } from "vitest";
import type { Home } from "@/lib/console/figures.ts";
import { alertsOf } from "./alerts.ts";
import { isComplete, stepsOf } from "./checklist-steps.ts";
import { homeFigures, worthNote } from "./home-figures.ts";

const EMPTY: Home = {
  now: "2026-11-21T14:10:00.000Z",
  builder: {
    plans: 0,
    agents: 0,
    settled24h: 0,
    creditsEarned24h: "0",
    unsettled: 0,
    hasChallenged: false,
    hasSettled: false,
  },
  subscriber: {
    subscriptions: 0,
    tokens: 0,
    settled24h: 0,
    creditsUsed24h: "0",
    unsettled: 0,
    activeDelegations: 0,
    delegationsEndingIn7Days: 0,
    hasSettled: false,
  },
};
const builder = (more: Partial<typeof EMPTY.builder>) => ({
  ...EMPTY,
  builder: { ...EMPTY.builder, ...more },
});
const ticks = (...of: Parameters<typeof stepsOf>) => stepsOf(...of).map(({ isDone }) => isDone);

describe("the checklist", () => {
  test("ticks nothing off for a new account", () => {
    expect(ticks("builder", EMPTY)).toEqual([false, false, false]);
    expect(ticks("subscriber", EMPTY)).toEqual([false, false, false]);
  });

  test("a registered agent is ticked off only once it has answered 402", () => {
    expect(ticks("builder", builder({ plans: 1, agents: 1 }))).toEqual([true, false, false]);
    expect(ticks("builder", builder({ plans: 1, agents: 1, hasChallenged: true }))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("is complete once a call is settled", () => {
    expect(
      isComplete("builder", builder({ plans: 1, hasChallenged: true, hasSettled: true })),
    ).toBe(true);
  });
});

describe("the four figures", () => {
  test("name what they compare with", () => {
    const home = builder({ settled24h: 1284, creditsEarned24h: "2310", unsettled: 3 });
    const figures = homeFigures({
      role: "builder",
      home,
      settledBefore: 1208,
      creditsDue: 5n,
      oldestUnsettledAt: "2026-11-21T13:20:00.000Z",
      worth: [{ currency: "usd", amount: "195000000", decimals: 6 }],
    });
    expect(figures.map(({ value, note }) => `${value} | ${note}`)).toEqual([
      "1,284 | 1,208 the previous day",
      "3 | Up to 5 credits, oldest at 13:20",
      "2,310 | Worth 195.00 USD",
      "0 | 0 active",
    ]);
  });

  test("leave out what could not be read, and money with unknown decimals", () => {
    expect(homeFigures({ role: "builder", home: EMPTY })[0]?.note).toBeUndefined();
    expect(worthNote([{ currency: `0x${"1".repeat(40)}`, amount: "5" }])).toBeUndefined();
  });
});

describe("alerts", () => {
  test("are none when nothing needs attention", () => {
    expect(alertsOf(EMPTY)).toEqual([]);
  });

  test("count calls and delegations, unsettled calls first", () => {
    const home = {
      ...builder({ unsettled: 1 }),
      subscriber: { ...EMPTY.subscriber, delegationsEndingIn7Days: 2 },
    };
    expect(alertsOf(home).map(({ text }) => text)).toEqual([
      "1 unsettled call",
      "2 delegations expire within 7 days",
    ]);
  });
});
