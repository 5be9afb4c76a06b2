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
  await vi.waitFor(() => expect(fetch).toHaveBeenCalled(), { timeout: 10_000 });
  while (fetch.mock.calls.length < 16) await vi.advanceTimersByTimeAsync(1_000);
  expect(getEventListeners(stop.signal, "abort").length).toBeLessThanOrEqual(1);
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});

test("a listener that is stopped between two attempts ends at once, and keeps no process alive", async () => {
  const { fetch, stop, next } = setUp();
  await vi.waitFor(() => expect(fetch).toHaveBeenCalled(), { timeout: 10_000 });
  await vi.advanceTimersByTimeAsync(1);
  // Other files of this process may have timers, too.
  const timers = vi.getTimerCount();
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(vi.getTimerCount()).toBe(timers - 1);
  expect(fetch).toHaveBeenCalledTimes(1);
});

/** A listener of a service that answers so, once per connection. */
function listenTo(...answers: (() => Response)[]) {
  const fetch = vi.fn(async () => {
    const answer = answers[Math.min(fetch.mock.calls.length, answers.length) - 1];
    return answer?.() ?? new Response();
  });
  const stop = new AbortController();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch });
  return { fetch, stop, events: payments.events({ signal: stop.signal }) };
}

const EVENT = {
  id: "evt_1",
  sequence: 1,
  type: "plan.created",
  createdAt: "2026-01-01T00:00:00.000Z",
  account: "0x1",
  data: {},
  previousHash: `0x${"0".repeat(64)}`,
  hash: `0x${"1".repeat(64)}`,
};
const streamOf = (...texts: string[]) =>
  new Response(texts.map((text, at) => `id: ${at + 1}\ndata: ${text}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });

test.each([
  ["is not JSON", "{"],
  ["lacks a member", JSON.stringify({ ...EVENT, hash: undefined })],
])("an event that %s ends the stream with an error, and is not skipped", async (_what, text) => {
  const { fetch, events } = listenTo(() => streamOf(text));
  const next = events.next();
  const outcome = expect(next).rejects.toMatchObject({ code: "invalid_answer" });
  await vi.advanceTimersByTimeAsync(120_000);
  await outcome;
  expect(fetch).toHaveBeenCalledTimes(1);
});

test("an event with members that this version does not know is read", async () => {
  const { events, stop } = listenTo(() => streamOf(JSON.stringify({ ...EVENT, added: [1] })));
  expect((await events.next()).value).toMatchObject({ id: "evt_1", sequence: 1 });
  stop.abort();
  await events.return();
});

test("a listener waits as long as the service asks before it connects again", async () => {
  const error = { code: "rate_limited", message: "Too many requests." };
  const headers = { "retry-after": "120" };
  const { fetch, stop, events } = listenTo(
    () => Response.json(error, { status: 429, headers }),
    () => streamOf(JSON.stringify(EVENT)),
  );
  const next = events.next();
  await vi.advanceTimersByTimeAsync(119_000);
  expect(fetch).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await next).value).toMatchObject({ id: "evt_1" });
  stop.abort();
  await events.return();
});
