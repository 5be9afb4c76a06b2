import type { RequestRecord } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { adviceFor, fixPrompt, groupErrors, routeOf } from "./error-groups.ts";

const record = (minute: number, more: Partial<RequestRecord> = {}): RequestRecord => ({
  agentRequestId: `request-number-${minute}`,
  at: `2026-11-21T14:${String(minute).padStart(2, "0")}:00.000Z`,
  moneyStatus: "refused",
  method: "POST",
  path: "/v1/ask",
  httpStatus: 402,
  reason: "expired_token",
  credits: "0",
  transaction: "",
  chainStatus: "none",
  ...more,
});

describe("errors by reason and route", () => {
  test("counts, keeps first and last seen, and takes the newest as the sample", () => {
    const [group, ...rest] = groupErrors([record(9), record(5), record(1)]);
    expect(rest).toEqual([]);
    expect(group).toMatchObject({
      count: 3,
      firstAt: record(1).at,
      lastAt: record(9).at,
      sample: { agentRequestId: "request-number-9" },
    });
  });

  test("groups by reason and route, the largest group first", () => {
    const groups = groupErrors([
      record(9, { path: "/v1/extract" }),
      record(8),
      record(7),
      record(6, { reason: "status_500", moneyStatus: "not-charged" }),
    ]);
    expect(groups.map(({ count, path, reason }) => [count, path, reason])).toEqual([
      [2, "/v1/ask", "expired_token"],
      [1, "/v1/extract", "expired_token"],
      [1, "/v1/ask", "status_500"],
    ]);
  });

  test("replaces ids in paths with placeholders", () => {
    expect(routeOf("/v1/filings/0001318605/summary")).toBe("/v1/filings/:id/summary");
    expect(routeOf("/threads/9f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b/runs")).toBe("/threads/:id/runs");
    expect(routeOf("/v1/ask")).toBe("/v1/ask");
  });

  test("leaves out requests that were written off", () => {
    expect(
      groupErrors([record(1, { moneyStatus: "not-charged", reason: "written off: a test" })]),
    ).toEqual([]);
  });

  test("the prompt names route, reason, count and a request id", () => {
    const [group] = groupErrors([record(2)]);
    if (!group) throw new Error("There is a group.");
    expect(adviceFor(group).title).toBe("Access token expired or revoked");
    const prompt = fixPrompt(group);
    for (const part of ["POST /v1/ask", "expired_token", "Count: 1", "request-number-2"]) {
      expect(prompt).toContain(part);
    }
  });

  test("shows an unknown reason as it is", () => {
    const [group] = groupErrors([record(2, { reason: "teapot" })]);
    expect(group && adviceFor(group).title).toBe("teapot");
  });
});
