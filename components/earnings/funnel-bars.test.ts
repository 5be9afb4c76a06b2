import { expect, test } from "vitest";
import { funnelSteps } from "./funnel-bars.tsx";

/** What is said beside the first step. */
const droppedOf = (challenged: number, refused: number, verified: number) => {
  const none = { notCharged: 0, delivered: 0, settled: 0 };
  return funnelSteps({
    ...{ range: "24h", since: "", challenged, refused, verified },
    ...none,
  })[0]?.dropped;
};

test("every call that did not get from a 402 to a payment is counted, with those that were declined", () => {
  expect(droppedOf(19, 7, 1)).toBe("18 dropped out, 7 of them declined");
  expect(droppedOf(1900, 0, 1)).toBe("1,899 dropped out");
});

test("calls that were declined without a 402 before are said alone", () => {
  expect(droppedOf(7, 7, 0)).toBe("7 declined");
  expect(droppedOf(2, 5, 40)).toBe("5 declined");
  expect(droppedOf(2, 0, 2)).toBeUndefined();
});
