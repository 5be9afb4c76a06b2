import { expect, test } from "vitest";
import { changeText, compareReports, keepReport } from "./compare-reports.ts";
import type { DoctorFinding, DoctorReport } from "./report.ts";

const reportOf = (states: Record<string, DoctorFinding["state"]>): DoctorReport => ({
  verb: "POST",
  url: "https://agent.example/ask",
  checkedAt: "2026-11-22T08:00:00.000Z",
  findings: Object.entries(states).map(([id, state]) => ({
    id,
    state,
    severity: "error",
    title: id,
    sentence: "The result.",
  })),
  paid: null,
  quote: { isPossible: false, why: "Not requested." },
});

const change = (
  before: Record<string, DoctorFinding["state"]>,
  after: Record<string, DoctorFinding["state"]>,
) => compareReports(keepReport(reportOf(before)), keepReport(reportOf(after)));

test("a kept report contains no responses", () => {
  expect(keepReport(reportOf({ D01: "pass", D02: "fail", D40: "skip" }))).toEqual({
    checkedAt: "2026-11-22T08:00:00.000Z",
    held: { D01: true, D02: false },
  });
});

test("lists fixed and broken checks in the order of their ids", () => {
  const found = change(
    { D02: "fail", D14: "fail", D13: "fail", D21: "pass" },
    { D02: "fail", D14: "pass", D13: "pass", D21: "fail" },
  );
  expect(found).toEqual({ fixed: ["D13", "D14"], broken: ["D21"] });
  expect(changeText(found)).toBe("D13 and D14 pass now. D21 no longer passes.");
});

test("a check that either report skipped is not a change", () => {
  const found = change({ D40: "skip", D41: "pass" }, { D40: "fail", D41: "skip" });
  expect(found).toEqual({ fixed: [], broken: [] });
  expect(changeText(found)).toBe("No changes.");
});
