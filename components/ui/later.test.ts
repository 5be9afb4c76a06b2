import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { whenIdle } from "./later.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("runs once the browser is idle", () => {
  const idle: (() => void)[] = [];
  vi.stubGlobal("requestIdleCallback", (work: () => void) => idle.push(work));
  vi.stubGlobal("cancelIdleCallback", vi.fn());
  const work = vi.fn();
  const cancel = whenIdle(work);
  vi.advanceTimersByTime(60_000);
  expect(work).not.toHaveBeenCalled();
  idle[0]?.();
  expect(work).toHaveBeenCalledOnce();
  cancel();
  expect(cancelIdleCallback).toHaveBeenCalledWith(1);
});

test("waits a second where the browser has no idle callbacks", () => {
  const work = vi.fn();
  whenIdle(work);
  expect(work).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(work).toHaveBeenCalledOnce();
});

test("does not run once cancelled", () => {
  const work = vi.fn();
  whenIdle(work)();
  vi.advanceTimersByTime(60_000);
  expect(work).not.toHaveBeenCalled();
});
