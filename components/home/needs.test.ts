import type { Agent, RequestRecord } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { type NeedFacts, needsOf } from "./needs.ts";

const NOW = "2026-11-21T14:10:00.000Z";
const NOTHING: NeedFacts = {
  unsettled: { count: 0, creditsDue: 0n },
  unknownMade: 0,
  disputes: { open: 0, late: 0 },
  refundRequests: { count: 0 },
  agents: [],
  free: { items: [], total: 0 },
};

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
    expect(needsOf({ ...NOTHING, delegations: { now: NOW, alerts: [] } })).toEqual([]);
  });

  test("lists the most urgent first, also while the delegations could not be read", () => {
    const bot = { delegationId: "delegation-1", name: "Research bot", usedPercent: 99 };
    const ending = {
      kind: "time" as const,
      count: 1,
      delegations: [{ ...bot, expiresAt: "2026-11-21T18:00:00.000Z" }],
      tokensEnding: 0,
      tokens: [],
    };
    const facts = {
      ...NOTHING,
      unsettled: { count: 3, creditsDue: 5n },
      agents: [AGENT],
      free: { items: [free("/v1/exhibits/7")], total: 1 },
    };
    const lines = (of: NeedFacts) => needsOf(of).map(({ title, detail }) => `${title} | ${detail}`);
    const others = [
      "3 unsettled calls | Up to 5 credits may still be charged.",
      "An endpoint answers without payment | GET /v1/exhibits/:n, seen 12:00",
    ];
    expect(lines({ ...facts, delegations: { now: NOW, alerts: [ending] } })).toEqual([
      ...others,
      "“Research bot” expires today at 18:00 UTC | No active access token lasts until then.",
    ]);
    expect(lines(facts)).toEqual(others);
  });

  test("names what waits for the builder with its deadline", () => {
    const needs = needsOf({
      ...NOTHING,
      disputes: { open: 1, late: 0, until: "2026-12-03T10:00:00.000Z" },
      refundRequests: { count: 2, until: "2026-12-01T10:00:00.000Z" },
    });
    expect(needs.map(({ title, detail }) => `${title}. ${detail}`)).toEqual([
      expect.stringMatching(
        /^1 dispute needs a response\. Send evidence by .*3.*, or you lose the dispute\.$/,
      ),
      expect.stringMatching(
        /^2 refund requests wait for you\. Answer by .*1.*, or it is declined\.$/,
      ),
    ]);
  });

  test("asks for no evidence after the deadline: the bank decides", () => {
    const lines = (disputes: NeedFacts["disputes"]) =>
      needsOf({ ...NOTHING, disputes }).map(({ title, detail }) => `${title}. ${detail}`);
    expect(lines({ open: 0, late: 1 })).toEqual([
      "1 dispute waits for the bank. The deadline for evidence has passed, and the bank decides.",
    ]);
    expect(lines({ open: 1, late: 2, until: "2026-12-03T10:00:00.000Z" })).toEqual([
      expect.stringMatching(/^1 dispute needs a response\. Send evidence by /),
      expect.stringMatching(/^2 disputes wait for the bank\. /),
    ]);
  });

  test("leaves out endpoints that are open on purpose or not registered", () => {
    const seen = [free("/health"), free("/favicon.ico")];
    expect(
      needsOf({ ...NOTHING, agents: [AGENT], free: { items: seen, total: seen.length } }),
    ).toEqual([]);
  });

  test("names an endpoint once, however often it answered", () => {
    const seen = [free("/v1/exhibits/7"), free("/v1/exhibits/8")];
    expect(
      needsOf({ ...NOTHING, agents: [AGENT], free: { items: seen, total: seen.length } }),
    ).toHaveLength(1);
  });

  test("says when there were more free calls than were checked", () => {
    const seen = { items: [free("/v1/exhibits/7")], total: 1_234 };
    const titles = needsOf({ ...NOTHING, agents: [AGENT], free: seen }).map(({ title }) => title);
    expect(titles).toEqual([
      "An endpoint answers without payment",
      "Only the newest 1 of 1,234 free calls were checked",
    ]);
  });
});
