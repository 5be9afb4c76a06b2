import type { RequestRecord } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { attemptSteps } from "./attempt/attempt-steps.ts";
import { msText, tookMs } from "./durations.ts";
import { moneyStory } from "./money-story.ts";
import { pollEach } from "./poll-each.ts";
import { isMoving, isUnderWay } from "./request-state.ts";
import { traceLanes } from "./trace-spans.ts";

const RECORD: RequestRecord = {
  agentRequestId: "request-number-1",
  at: "2026-11-21T14:00:00.000Z",
  moneyStatus: "settled",
  credits: "1",
  transaction: "",
  chainStatus: "final",
  verifyMs: 9.14,
  workMs: 1490,
  settleMs: 104,
};
const record = (more: Partial<RequestRecord>): RequestRecord => ({ ...RECORD, ...more });

describe("a trace", () => {
  test("shows verify, work and settle one after the other, and the agent beside them", () => {
    const [request, agent] = traceLanes(RECORD);
    expect(
      request?.spans.map(({ key, startMs, durationMs }) => [key, startMs, durationMs]),
    ).toEqual([
      ["verify", 0, 9.1],
      ["work", 9.1, 1490],
      ["settle", 1499, 104],
    ]);
    expect(agent?.spans).toMatchObject([{ startMs: 9.1, durationMs: 1490, tone: "work" }]);
    expect(tookMs(RECORD)).toBe(1603);
  });

  test("draws a failed settle red on an otherwise good trace", () => {
    const [request] = traceLanes(record({ moneyStatus: "delivered-unsettled" }));
    expect(request?.spans.map(({ tone }) => tone)).toEqual(["settled", "settled", "refused"]);
  });

  test("has no lanes when no gate reported times", () => {
    const untold = record({ verifyMs: undefined, workMs: undefined, settleMs: undefined });
    expect(traceLanes(untold)).toEqual([]);
    expect(msText(tookMs(untold))).toBe("–");
  });

  test("shows a verify and no agent for a declined request", () => {
    const refused = record({ moneyStatus: "refused", workMs: undefined, settleMs: undefined });
    expect(traceLanes(refused)).toMatchObject([{ spans: [{ key: "verify", tone: "refused" }] }]);
  });
});

describe("a payment by one signed transfer", () => {
  const paid = { currency: "usdc", amount: "10000", decimals: 6, value: "0.010000" };
  const sold = record({ paid, tokenId: "exact_1", settledAt: RECORD.at, settlementId: "set_1" });
  const bought = record({ paid, credits: "0", seller: "0x1", settledAt: RECORD.at });

  test("is told in money, and never as an access token or a burn", () => {
    for (const [request, role] of [
      [sold, "builder"],
      [bought, "subscriber"],
    ] as const) {
      const { title, text } = moneyStory(request, role);
      const steps = attemptSteps(request, role).map(({ verdict }) => verdict);
      const told = [title, text, ...steps].join(" ");
      expect(told).toContain("0.01 USDC charged");
      expect(told).toContain("a signed payment");
      expect(told).not.toMatch(/access token|burn|credit/);
    }
  });

  test("of a foreign seller expects no report of a gate", () => {
    const untold = { ...bought, httpStatus: undefined };
    const { verdict } = attemptSteps(untold, "subscriber")[1] ?? {};
    expect(verdict).toBe("The seller has no gate that reports its responses here.");
  });
});

describe("refreshing a request", () => {
  const moving = record({ chainStatus: "submitted" });

  test("slows down and stops after ten minutes", () => {
    const at = (dataUpdateCount: number) => pollEach({ data: moving, dataUpdateCount });
    expect([at(0), at(9), at(10), at(29), at(30), at(130)]).toEqual([
      1_000,
      1_000,
      2_000,
      2_000,
      5_000,
      false,
    ]);
  });

  test("stops immediately when the request is final", () => {
    expect(pollEach({ data: RECORD, dataUpdateCount: 0 })).toBe(false);
    expect(pollEach({ data: undefined, dataUpdateCount: 0 })).toBe(false);
  });
});

describe("the payment story of a request", () => {
  test("says that a failed settlement is not confirmed", () => {
    const story = moneyStory(record({ moneyStatus: "delivered-unsettled" }), "builder");
    expect(story.title).toBe("You delivered this call. It is not paid yet.");
  });

  test("never calls an unknown outcome a failure", () => {
    for (const role of ["builder", "subscriber"] as const) {
      const { title, text } = moneyStory(record({ moneyStatus: "unknown", httpStatus: 200 }), role);
      expect(`${title} ${text}`).not.toMatch(/failed|not charged/i);
    }
  });

  test("a reserved request is in progress", () => {
    const held = record({ moneyStatus: "unknown", verifiedAt: RECORD.at, chainStatus: "none" });
    expect(isUnderWay(held)).toBe(true);
    expect(isMoving(held)).toBe(true);
    expect(isMoving(record({ ...held, releasedAt: RECORD.at }))).toBe(false);
  });

  test("a settlement can change until its burn is final", () => {
    const statuses = ["pending", "submitted", "included", "final", "none", "failed"] as const;
    expect(statuses.filter((chainStatus) => isMoving(record({ chainStatus })))).toEqual([
      "pending",
      "submitted",
      "included",
    ]);
  });

  test("shows the note of a write-off unchanged", () => {
    const given = record({ moneyStatus: "not-charged", reason: "written off: A test call." });
    expect(moneyStory(given, "builder")).toEqual({
      title: "Written off.",
      text: "A test call. No credits were charged.",
    });
  });
});
