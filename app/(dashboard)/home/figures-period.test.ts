import { expect, test } from "vitest";
import { figuresText } from "./figures-period.ts";

test("the header dates the figures, which are of 24 hours", () => {
  expect(figuresText(new Date("2026-11-28T02:51:00Z"))).toBe(
    "Figures since 27 Nov 2026 03:00 UTC, as of 02:51 UTC.",
  );
});
