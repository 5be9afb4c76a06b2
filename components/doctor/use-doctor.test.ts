import { expect, test } from "vitest";
import { earlyEndText } from "./use-doctor.ts";

const free = { failure: "", end: "complete", isPaid: false } as const;
const SPENT = "Paid calls made before that may have used credits.";

test("checks that ended with a report, and free ones that were stopped, need no notice", () => {
  expect(earlyEndText(free)).toBe("");
  expect(earlyEndText({ ...free, end: "stopped" })).toBe("");
  expect(earlyEndText({ ...free, isPaid: true })).toBe("");
});

test("paid checks that were stopped say that they may have used credits", () => {
  expect(earlyEndText({ ...free, end: "stopped", isPaid: true })).toBe(
    `You stopped the checks. ${SPENT}`,
  );
});

test("only paid checks that failed say so", () => {
  const failed = { ...free, failure: "The service can’t be reached." };
  expect(earlyEndText(failed)).toBe("The service can’t be reached.");
  expect(earlyEndText({ ...failed, isPaid: true })).toBe(`${failed.failure} ${SPENT}`);
  expect(earlyEndText({ ...free, end: "cut", isPaid: true })).toContain(SPENT);
  expect(earlyEndText({ ...free, end: "cut" })).not.toContain(SPENT);
});
