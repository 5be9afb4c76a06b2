import { randomBytes } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { createCrypto } from "./crypto.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("ordered ids are UUIDs of version 7, in the order of time, and 74 bits of each are random", () => {
  const { orderedId } = createCrypto({
    rootKeys: [randomBytes(32)],
    tokenDomain: { chainId: 84532, verifyingContract: `0x${"11".repeat(20)}` },
  });
  vi.useFakeTimers();
  const ids = Array.from({ length: 1_000 }, (_, at) => {
    vi.setSystemTime(Date.parse("2030-01-01T00:00:00Z") + at);
    return orderedId();
  });
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids.map((id) => id.slice(15))).size).toBe(1_000);
});
