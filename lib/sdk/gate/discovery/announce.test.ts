import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SignedStatement } from "../../protocol/offer-receipt/signed.ts";
import { createAnnouncer } from "./announce.ts";

const MINUTE_MS = 60_000;
const URL = "https://seller.example/ask";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A gate whose clock is off, and a service that signs for ten minutes by a right one. */
function setUp(offMs: number) {
  const now = () => (Date.now() - offMs) / 1000;
  const sign = vi.fn(async () => {
    const validUntil = now() + 600;
    return { offers: [{ validUntil } as unknown as SignedStatement], validUntil };
  });
  const announce = createAnnouncer(sign, { format: "jws", logger: console });
  const resource = { url: URL };
  const refusal = { body: { paymentRequired: { resource, accepts: [], extensions: {} } } };
  const route = { discovery: undefined, method: "POST", segments: [] };
  /** For how many seconds the offer of a 402 is still valid; null without one. */
  const ask = async () => {
    const { body } = await announce(refusal as never, route as never, URL);
    const { info } = (body.paymentRequired?.extensions?.["offer-receipt"] ?? {}) as {
      info?: { offers: { validUntil: number }[] };
    };
    return info ? (info.offers[0]?.validUntil ?? 0) - now() : null;
  };
  return { ask, sign };
}

test.each([-10, 0, 10])(
  "a gate whose clock is %i minutes off announces offers that are valid, and has them signed once",
  async (minutes) => {
    const { ask, sign } = setUp(minutes * MINUTE_MS);
    for (let minute = 0; minute < 16; minute += 1) {
      const secs = await ask();
      expect(secs, `minute ${minute}`).toBeGreaterThanOrEqual(120);
      vi.advanceTimersByTime(MINUTE_MS);
    }
    expect(sign).toHaveBeenCalledTimes(2);
  },
);

test("offers are signed anew after the machine was suspended, while the steady clock stood still", async () => {
  const { ask } = setUp(0);
  await ask();
  vi.setSystemTime(Date.now() + 60 * MINUTE_MS);
  expect(await ask()).toBeGreaterThan(0);
});
