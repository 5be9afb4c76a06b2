import { afterEach, expect, test, vi } from "vitest";
import { createTtlCache } from "./ttl-cache.ts";

afterEach(() => void vi.useRealTimers());

test("values live for their time, also where the clock is set back or forward", () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  const cache = createTtlCache<string>(300_000, 10);
  cache.set("plan", "old price");
  vi.setSystemTime(Date.now() + 90_000_000);
  expect(cache.get("plan")).toBe("old price");
  vi.setSystemTime(Date.now() - 180_000_000);
  vi.advanceTimersByTime(300_000);
  expect(cache.get("plan")).toBeUndefined();
});
