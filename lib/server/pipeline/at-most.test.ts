import { LRUCache } from "lru-cache";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { atMost } from "./at-most.ts";

beforeEach(() => void vi.useFakeTimers());
// In this order: what restores a spied timer would put back the one that was spied on, which is not the real one.
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("entries that age are looked up for a second with one timer", () => {
  const start = vi.spyOn(globalThis, "setTimeout");
  const cache = new LRUCache<string, true>({ ...atMost(10), ttl: 60_000 });
  cache.set("key", true);
  for (let ms = 0; ms < 900; ms++) {
    expect(cache.get("key")).toBe(true);
    vi.advanceTimersByTime(1);
  }
  expect(start).toHaveBeenCalledTimes(1);
});
