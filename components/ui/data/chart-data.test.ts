import { expect, test } from "vitest";
import {
  type ChartPoint,
  hasFractions,
  movePoint,
  pointText,
  tickText,
  totalOf,
} from "./chart-data.ts";

const SERIES = [
  { key: "settled", label: "Settled" },
  { key: "refused", label: "Declined" },
];

test("describes a point by its time and its values above zero", () => {
  const point = { label: "14:00", title: "21 Nov 14:00", values: { settled: 1_284, refused: 0 } };
  expect(pointText(point, SERIES)).toBe("21 Nov 14:00: 1,284 settled");
  expect(pointText({ label: "15:00", values: {} }, SERIES)).toBe("15:00: none");
});

test("reads exact amounts, not the height of a bar", () => {
  const point = { label: "Mon", values: { settled: 12 }, texts: { settled: "$12.34" } };
  expect(pointText(point, SERIES)).toBe("Mon: $12.34 settled");
});

test("sums all points and counts missing values as zero", () => {
  const points: ChartPoint[] = [
    { label: "a", values: { settled: 2 } },
    { label: "b", values: { refused: 3 } },
  ];
  expect([totalOf(points, "settled"), totalOf(points, "refused")]).toEqual([2, 3]);
});

test("keeps arrow keys inside, reaches both ends with Home and End, ignores other keys", () => {
  expect(movePoint("ArrowRight", 23, 24)).toBe(23);
  expect(movePoint("ArrowLeft", 0, 24)).toBe(0);
  expect(movePoint("PageUp", 3, 24)).toBe(9);
  expect([movePoint("Home", 9, 24), movePoint("End", 9, 24)]).toEqual([0, 23]);
  expect(movePoint("Tab", 9, 24)).toBeUndefined();
});

test.each([
  [0, "0"],
  [10_000, "10,000"],
  [1_250_000, "1,250,000"],
  [0.1 + 0.2, "0.3"],
  [2.5, "2.5"],
  [0.0000025, "0.0000025"],
  [1e-18, "0.000000000000000001"],
])("a tick at %d reads %s", (value, text) => {
  expect(tickText(value)).toBe(text);
});

test("only heights that are no whole numbers have ticks between them", () => {
  const point = (sold: number) => ({ label: "Mon", values: { sold } });
  expect(hasFractions([point(9_000), point(3)])).toBe(false);
  expect(hasFractions([point(9_000), point(0.0037)])).toBe(true);
});
