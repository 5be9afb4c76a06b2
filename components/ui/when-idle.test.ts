import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { whenIdle } from "./when-idle.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("waits until the browser says that it is idle", () => {
  const idle: (() => void)[] = [];
  vi.stubGlobal("requestIdleCallback", (work: () => void) => idle.push(work));
  vi.stubGlobal("cancelIdleCallback", vi.fn());
  const work = vi.fn();
  const callOff = whenIdle(work);
  vi.advanceTimersByTime(60_000);
  expect(work).not.toHaveBeenCalled();
  idle[0]?.();
  expect(work).toHaveBeenCalledOnce();
  callOff();
  expect(cancelIdleCallback).toHaveBeenCalledWith(1);
});

test("waits a moment where the browser has no word for it", () => {
  const work = vi.fn();
  whenIdle(work);
  expect(work).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(work).toHaveBeenCalledOnce();
});

test("is called off in time", () => {
  const work = vi.fn();
  whenIdle(work)();
  vi.advanceTimersByTime(60_000);
  expect(work).not.toHaveBeenCalled();
});
