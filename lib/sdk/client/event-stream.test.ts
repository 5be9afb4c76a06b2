import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { apiKeyOf, SUBSCRIBER } from "../test-support/fake-service.ts";
import { Payments } from "./payments.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A listener whose service cannot be reached. */
function setUp() {
  const fetch = vi.fn(async () => {
    throw new TypeError("connection refused");
  });
  const stop = new AbortController();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch });
  const next = payments.events({ signal: stop.signal }).next();
  return { fetch, stop, next };
}

test("a listener that connects again and again leaves nothing on the caller's signal", async () => {
  const { fetch, stop, next } = setUp();
  await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
  while (fetch.mock.calls.length < 16) await vi.advanceTimersByTimeAsync(1_000);
  expect(getEventListeners(stop.signal, "abort").length).toBeLessThanOrEqual(1);
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});

test("a listener that is stopped between two attempts ends at once, and keeps no process alive", async () => {
  const { fetch, stop, next } = setUp();
  await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(1);
  // Other files of this process may have timers, too.
  const timers = vi.getTimerCount();
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(vi.getTimerCount()).toBe(timers - 1);
  expect(fetch).toHaveBeenCalledTimes(1);
});
