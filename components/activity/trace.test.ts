import type { RequestRecord } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { isMoving, isUnderWay, moneyStory } from "./money-story.ts";
import { pollEach } from "./poll-each.ts";
import { msText, tookMs, traceLanes } from "./trace-spans.ts";

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
