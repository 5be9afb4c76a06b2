import { afterEach, expect, test, vi } from "vitest";
import { pollUntil } from "./poll.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("a clock that is set back keeps no one waiting longer", async () => {
  const start = performance.now();
  let wall = Date.now();
  // An hour back with each look.
  vi.spyOn(Date, "now").mockImplementation(() => {
    wall -= 3_600_000;
    return wall;
  });
  const ask = vi.fn(async () => (performance.now() - start > 3_000 ? "too late" : undefined));
  expect(await pollUntil(ask, { timeoutMs: 50 })).toBeUndefined();
});
