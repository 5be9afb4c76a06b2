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

test("expired counters are looked for once a minute, not in each call", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
  const store = createSpendStore();
  const expiresAt = new Date(NOON + DAY_MS / 2);
  const walked = vi.spyOn(Map.prototype, Symbol.iterator);
  for (let call = 0; call < 10; call++)
    expect(await store.add([{ key: `call ${call}`, limit: 1n, expiresAt }], 1n)).toBe(true);
  const walks = walked.mock.contexts.filter((map) => (map as Map<string, unknown>).has("call 0"));
  walked.mockRestore();
  expect(walks.length).toBeLessThanOrEqual(1);
});
