import type { Agent, DelegationSummary, RequestRecord } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { type NeedFacts, needsOf, usedPercent, whenText } from "./needs.ts";

const NOW = "2026-11-21T14:10:00.000Z";
const NOTHING: NeedFacts = {
  now: NOW,
  unsettled: { count: 0, creditsDue: 0n },
  unknownMade: 0,
  delegations: [],
  agents: [],
  free: [],
};

const delegation = (more: Partial<DelegationSummary> = {}): DelegationSummary => ({
  delegationId: "delegation-1",
  name: "Research bot",
  provider: "erc4337",
  status: "Active",
  sessionKeyAddress: "0x0000000000000000000000000000000000000001",
  planIds: [],
  spendingLimitCents: 5_000n,
  amountSpentCents: 0n,
  amountReservedCents: 0n,
  remainingBudgetCents: 5_000n,
  currency: "usd",
  transactionCount: 0,
  activeTokens: 2,
  rootOf: [],
  expiresAt: "2027-11-21T14:00:00.000Z",
  createdAt: NOW,
  ...more,
});

const AGENT: Agent = {
  id: "agent-1",
  agentId: "agent-1",
  owner: "0x1",
  metadata: {
    main: { name: "Reader" },
    agent: {
      endpoints: [{ GET: "https://agent.example/v1/exhibits/:n" }],
      openEndpoints: ["https://agent.example/health"],
      authType: "NONE",
    },
  },
  plans: [],
  createdAt: NOW,
  updatedAt: NOW,
};
const free = (path: string): RequestRecord => ({
  agentRequestId: `seen-${path}`,
  at: "2026-11-21T12:00:00.000Z",
  moneyStatus: "free",
  agentId: "agent-1",
  method: "GET",
  path,
  httpStatus: 200,
  credits: "0",
  transaction: "",
  chainStatus: "none",
});

describe("what needs attention", () => {
  test("is nothing when everything is in order", () => {
    expect(needsOf({ ...NOTHING, delegations: [delegation()] })).toEqual([]);
  });

  test("lists the most urgent first", () => {
    const needs = needsOf({
      ...NOTHING,
      unsettled: { count: 3, creditsDue: 5n },
      delegations: [
        delegation({ expiresAt: "2026-11-22T14:00:00.000Z" }),
        delegation({
          delegationId: "delegation-2",
          name: "Nightly digest",
          amountSpentCents: 4_160n,
          remainingBudgetCents: 840n,
        }),
      ],
      agents: [AGENT],
      free: [free("/v1/exhibits/7")],
    });
    expect(needs.map(({ title, detail }) => `${title} | ${detail}`)).toEqual([
      "3 unsettled calls | Up to 5 credits may still be charged.",
      "An endpoint answers without payment | GET /v1/exhibits/:n, seen 12:00",
      "“Research bot” expires tomorrow at 14:00 | 2 access tokens stop working then.",
      "“Nightly digest” has used 83% of its limit | $8.40 left of $50.00.",
    ]);
  });

  test("leaves out endpoints that are open on purpose or not registered", () => {
    const seen = [free("/health"), free("/favicon.ico")];
    expect(needsOf({ ...NOTHING, agents: [AGENT], free: seen })).toEqual([]);
  });

  test("names an endpoint once, however often it answered", () => {
    const seen = [free("/v1/exhibits/7"), free("/v1/exhibits/8")];
    expect(needsOf({ ...NOTHING, agents: [AGENT], free: seen })).toHaveLength(1);
  });

  test("sums up many expiring delegations in one line", () => {
    const many = Array.from({ length: 50 }, (_, n) =>
      delegation({ delegationId: `delegation-${n}`, expiresAt: "2026-11-21T18:00:00.000Z" }),
    );
    expect(needsOf({ ...NOTHING, delegations: many })).toMatchObject([
      {
        title: "50 delegations expire within 7 days",
        detail: "First: “Research bot”, today at 18:00.",
      },
    ]);
  });

  test("leaves out revoked delegations", () => {
    const over = delegation({ status: "Revoked", expiresAt: "2026-11-21T15:00:00.000Z" });
    expect(needsOf({ ...NOTHING, delegations: [over] })).toEqual([]);
  });

  test("counts reserved amounts as used, without rounding up", () => {
    const half = delegation({ amountSpentCents: 3_000n, amountReservedCents: 999n });
    expect(usedPercent(half)).toBe(79n);
  });

  test("counts days in UTC", () => {
    const now = Date.parse(NOW);
    expect(whenText("2026-11-21T23:59:00.000Z", now)).toBe("today at 23:59");
    expect(whenText("2026-11-22T00:00:00.000Z", now)).toBe("tomorrow at 00:00");
    expect(whenText("2026-11-24T09:30:00.000Z", now)).toBe("on 24 Nov at 09:30");
  });
});
