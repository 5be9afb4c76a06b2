import { afterEach, expect, test, vi } from "vitest";
import { createSpendStore } from "./spend-store.ts";

const DAY_MS = 86_400_000;
const NOON = Date.parse("2026-11-29T12:00:00Z");

afterEach(() => void vi.useRealTimers());

test("today's limit is kept where the clock was a day ahead for a moment, and its counter is forgotten later", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
  const store = createSpendStore();
  const add = (day: number, limit = 100n) =>
    store.add(
      [{ key: `day ${day}`, limit, expiresAt: new Date(NOON + (day + 0.5) * DAY_MS) }],
      100n,
    );
  expect(await add(0)).toBe(true);
  vi.setSystemTime(NOON + DAY_MS);
  expect(await add(1)).toBe(true);
  vi.setSystemTime(NOON);
  expect(await add(0)).toBe(false);
  vi.setSystemTime(NOON + 2 * DAY_MS);
  expect(await add(2)).toBe(true);
  expect(await add(0)).toBe(true);
});
