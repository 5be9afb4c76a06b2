import { expect, test } from "vitest";
import type { DelegationAlert } from "@/lib/console/delegation-totals.ts";
import { alertsOf } from "./delegation-alerts.ts";
import { whenText } from "./delegation-text.ts";

const now = "2026-11-21T14:10:00.000Z";
const bot = {
  delegationId: "85d083ac-0000-4000-8000-00000000beef",
  name: "Research bot",
  expiresAt: "2026-11-22T14:00:00.000Z",
  usedPercent: 83,
};
const alert = (more: Partial<DelegationAlert>): DelegationAlert => ({
  kind: "time",
  count: 1,
  delegations: [bot],
  tokensEnding: 0,
  tokens: [],
  ...more,
});
const linesOf = (more: Partial<DelegationAlert>) =>
  alertsOf({ now, alerts: [alert(more)] }).map(
    ({ title, detail, action }) => `${title} | ${detail} | ${action.label} ${action.href}`,
  );
const RENEW = `Renew /delegations/new?from=${bot.delegationId}`;
const TOP_UP = "Calls that need a top-up are declined";

test.each<[Partial<DelegationAlert>, string]>([
  [
    { tokensEnding: 1, tokens: [{ tokenId: "tok-123456", planName: "Starter" }] },
    `“Research bot” expires tomorrow at 14:00 UTC | 1 access token stops working then: tok-123456 (Starter). | ${RENEW}`,
  ],
  [
    { delegations: [{ ...bot, name: undefined }] },
    `Delegation 85d083…beef expires tomorrow at 14:00 UTC | No active access token lasts until then. | ${RENEW}`,
  ],
  [
    { count: 50 },
    "50 delegations expire soon | First: “Research bot”, tomorrow at 14:00 UTC. No active access token lasts until then. | Review /delegations?show=active",
  ],
  [
    { kind: "money" },
    `“Research bot” has used 83% of its limit | ${TOP_UP} once a limit is reached. | ${RENEW}`,
  ],
  [
    { kind: "charges", count: 2 },
    `2 delegations have used 80% or more of their charges | ${TOP_UP} after the last charge. | Review /delegations?show=active`,
  ],
  [
    { kind: "signature" },
    `“Research bot” needs your signature | It can’t be used until you sign. | Sign /delegations/${bot.delegationId}`,
  ],
])("an alert says what is near, what stops, and what ends it: %o", (more, line) => {
  expect(linesOf(more)).toEqual([line]);
});

test.each([
  ["2026-11-21T23:59:00Z", "today at 23:59"],
  ["2026-11-22T00:00:00Z", "tomorrow at 00:00"],
  ["2026-11-28T09:00:00Z", "on 28 Nov at 09:00"],
  ["2027-01-01T09:00:00Z", "on 1 Jan 2027 at 09:00"],
])("%s is %s", (at, text) => {
  expect(whenText(at, new Date(now))).toBe(text);
});
