import { expect, test } from "vitest";
import { drawnOrder } from "./word-order.ts";

test.each([
  ["Plan for all", "Plan for all"],
  ["אחת שתיים שלוש", "שלוש שתיים אחת"],
  ["אחת one two שתיים שלוש", "שלוש שתיים one two אחת"],
  ["Plan אחת שתיים 10 (plan 7)", "Plan 10 שתיים אחת (plan 7)"],
])("the words of “%s” are drawn from the left as “%s”", (line, drawn) => {
  expect(drawnOrder(line)).toBe(drawn);
});
