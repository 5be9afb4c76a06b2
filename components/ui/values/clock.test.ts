import { afterEach, expect, test, vi } from "vitest";
import { clockAt, readClock } from "./clock.ts";

afterEach(() => void vi.useRealTimers());

test("the service's clock goes on from what the page was rendered at, however wrong the computer's is", () => {
  vi.useFakeTimers({ now: new Date("2026-11-29T10:00:00Z") });
  const clock = clockAt("2026-12-29T10:00:00.000Z");
  expect(readClock(clock).toISOString()).toBe("2026-12-29T10:00:00.000Z");
  vi.advanceTimersByTime(3_600_000);
  expect(readClock(clock).toISOString()).toBe("2026-12-29T11:00:00.000Z");
});

test("a page that Back shows again doesn't set the clock back to when it was rendered", () => {
  vi.useFakeTimers({ now: new Date("2026-11-29T10:00:00Z") });
  clockAt("2026-11-29T12:00:00.000Z");
  vi.advanceTimersByTime(180_000);
  for (let n = 0; n < 90; n++) clockAt(new Date(Date.now() + 7_200_000 + n).toISOString());
  expect(readClock(clockAt("2026-11-29T12:00:00.000Z")).toISOString()).toBe(
    "2026-11-29T12:03:00.000Z",
  );
});

test("where no page says the service's time, the computer's is read", () => {
  vi.useFakeTimers({ now: new Date("2026-11-29T10:00:00Z") });
  expect(readClock(undefined).toISOString()).toBe("2026-11-29T10:00:00.000Z");
});
