import { describe, expect, test } from "vitest";
import { alertsOf } from "./delegation-alerts.ts";
import { momentText } from "./delegation-text.ts";

const now = new Date("2026-11-21T14:10:00Z");
const delegation = {
  delegationId: "d1",
  name: "Research bot",
  status: "Active" as const,
  spendingLimitCents: 5_000n,
  amountSpentCents: 0n,
  amountReservedCents: 0n,
  transactionCount: 0,
  maxTransactions: 10,
  createdAt: "2026-11-01T00:00:00Z",
  expiresAt: "2026-12-31T00:00:00Z",
  activeTokens: 3,
};
const alerts = (part: Partial<typeof delegation>, agents?: number) =>
  alertsOf({ ...delegation, ...part }, now, agents);

describe("the alerts of a delegation", () => {
  test("none while no limit is near", () => {
    expect(alerts({ amountSpentCents: 2_499n })).toEqual([]);
  });

  test.each([
    [2_500n, 50, "info"],
    [4_000n, 80, "unsettled"],
    [4_750n, 95, "refused"],
  ] as const)("%s of 5000 cents used crosses %s %%", (amountSpentCents, threshold, tone) => {
    expect(alerts({ amountSpentCents })).toMatchObject([{ kind: "money", threshold, tone }]);
  });

  test("reserved money counts as used, and charges have alerts of their kind", () => {
    expect(alerts({ amountReservedCents: 4_000n, transactionCount: 8 })).toMatchObject([
      { kind: "money", threshold: 80 },
      { kind: "charges", threshold: 80 },
    ]);
  });

  test("an expiry within 24 hours says which calls stop", () => {
    expect(alerts({ expiresAt: "2026-11-22T14:00:00Z" }, 2)[0]).toMatchObject({
      kind: "time",
      threshold: 86_400,
      title: "“Research bot” expires tomorrow at 14:00 UTC. Calls to 2 agents stop then.",
    });
  });

  test("a short delegation does not warn right after it starts", () => {
    const short = { createdAt: "2026-11-21T14:00:00Z", expiresAt: "2026-11-22T14:00:00Z" };
    expect(alerts(short)).toEqual([]);
    expect(alertsOf({ ...delegation, ...short }, new Date("2026-11-22T13:10:00Z"))).toMatchObject([
      { kind: "time", threshold: 3_600 },
    ]);
  });

  test("a revoked delegation has no alerts", () => {
    expect(alertsOf({ ...delegation, status: "Revoked", amountSpentCents: 5_000n }, now)).toEqual(
      [],
    );
  });
});

test.each([
  ["2026-11-21T23:59:00Z", "today at 23:59"],
  ["2026-11-22T00:00:00Z", "tomorrow at 00:00"],
  ["2026-11-28T09:00:00Z", "28 Nov at 09:00"],
  ["2027-01-01T09:00:00Z", "1 Jan 2027 at 09:00"],
])("%s is %s", (at, text) => {
  expect(momentText(at, now)).toBe(text);
});
