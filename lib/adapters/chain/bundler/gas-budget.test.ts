import { afterEach, expect, test, vi } from "vitest";
import { createGasBudget } from "./gas-budget.ts";

afterEach(() => void vi.useRealTimers());

test("a budget renews after its window, also where the clock was set back meanwhile", () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  const budget = createGasBudget({ gasPerWindow: 10n, windowMs: 60_000 });
  expect([budget.spend("0xa", 10n), budget.spend("0xa", 1n)]).toEqual([true, false]);
  vi.advanceTimersByTime(20_000);
  vi.setSystemTime(Date.now() - 90_000_000);
  expect([budget.spend("0xa", 1n), budget.renewsInMs()]).toEqual([false, 40_000]);
  vi.advanceTimersByTime(40_000);
  expect(budget.spend("0xa", 10n)).toBe(true);
});
