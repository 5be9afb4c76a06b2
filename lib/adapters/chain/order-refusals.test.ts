import { expect, test } from "vitest";
import { describeRefusal } from "./order-refusals.ts";

test("a refusal keeps a detail that is a sentence, and drops the rest", () => {
  const advice = describeRefusal("paused", "");
  expect(describeRefusal("paused", "The sale is closed.")).toBe(`The sale is closed. ${advice}`);
  for (const detail of ["Paused()", "Paused.", "execution reverted.", "The sale is closed"]) {
    expect(describeRefusal("paused", detail)).toBe(advice);
  }
});

test("a detail of 100 KB is read in less than 50 ms, whatever a contract wrote into it", () => {
  for (const detail of [
    `A${" ".repeat(100_000)}`,
    `A${" x".repeat(50_000)}`,
    "A".repeat(100_000),
  ]) {
    const start = performance.now();
    describeRefusal("failed", detail);
    expect(performance.now() - start).toBeLessThan(50);
  }
});
