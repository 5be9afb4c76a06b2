import { expect, test } from "vitest";
import { agentFigures } from "./business-figures.tsx";

const NONE = { attempts: 0, settled: 0, customers: 0, creditsUsed: "0", worth: [] };
const figures = (now: object, previous: object) =>
  agentFigures({
    now: { ...NONE, ...now },
    previous: { ...NONE, ...previous },
    causes: [],
  } as unknown as Parameters<typeof agentFigures>[0]);
const notesOf = (now: object, previous: object) => figures(now, previous).map(({ note }) => note);

test("a figure names the previous period only where there is something to compare", () => {
  expect(notesOf({}, {})).toEqual(["0 credits", undefined, "No attempts", "No recent reports"]);
  expect(notesOf({ settled: 2, attempts: 4, customers: 1, creditsUsed: "1" }, {})).toEqual([
    "1 credit, 0 in the previous period",
    "By 1 customer, 0 in the previous period",
    "Of 4 attempts",
    "No recent reports",
  ]);
  expect(notesOf({}, { settled: 3, attempts: 4, p95Ms: 420, creditsUsed: "1234" })).toEqual([
    "0 credits, 1,234 in the previous period",
    "3 in the previous period",
    "No attempts, 75% in the previous period",
    "No recent reports, p95 420\u00a0ms in the previous period",
  ]);
});

test("a latency is one time, which fits a phone, with the median below it", () => {
  const [, , , latency] = figures({ p50Ms: 41, p95Ms: 1_950, settled: 3 }, { p95Ms: 420 });
  expect(latency).toEqual({
    label: "Latency, p95",
    value: "1.95\u00a0s",
    note: "p50 41\u00a0ms, p95 420\u00a0ms in the previous period",
  });
});

test("a success rate is 100% only when every call settled", () => {
  const rateOf = (settled: number) => figures({ settled, attempts: 100_000 }, {})[2]?.value;
  expect([rateOf(99_999), rateOf(100_000)]).toEqual(["99.9%", "100%"]);
});
