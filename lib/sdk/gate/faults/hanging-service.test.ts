import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Payments } from "../../client/payments.ts";
import { encodeAccessToken } from "../../protocol/access-token.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  refusal,
  tokenOf,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The text of a token whose orders may spend so much. */
function tokenWith(orderLimit: string): string {
  const token = tokenOf("42");
  token.payload.sessionKey.limits.orderLimit = orderLimit;
  return encodeAccessToken(token);
}
const ORDERS_NOTHING = tokenWith("0");
const MAY_ORDER = tokenTextOf("42");

/** A gate, and the answer to a call with a token, after so many milliseconds. */
async function setUp(given: GateOptions = {}) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const logger = { error: vi.fn() };
  const options = { queue: createMemoryQueue(), report: false, logger, ...given };
  const gate = createGate(payments, { "POST /ask": { planId: "42" } }, options);
  const work = vi.fn(() => new Response("done"));
  const send = (headers: HeadersInit) =>
    gate(new Request("http://agent.test/ask", { method: "POST", headers }), work);
  expect((await send({})).status).toBe(402);
  const ask = async (token: string) => {
    const started = Date.now();
    const asked = send({ "payment-signature": token }).then(async (response) => ({
      status: response.status,
      body: await response.text(),
      ms: Date.now() - started,
    }));
    await vi.advanceTimersByTimeAsync(60_000);
    return asked;
  };
  return { service, ask, work, logged: () => logger.error.mock.calls.map(([message]) => message) };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a call that can order nothing is refused after ten seconds, and nothing was charged", async () => {
  const { service, ask, work } = await setUp();
  service.handlers.verify = () => new Promise(() => {});
  const { status, body, ms } = await ask(ORDERS_NOTHING);
  expect([status, ms, work.mock.calls.length]).toEqual([503, 10_000, 0]);
  expect(body).toContain("nothing was charged");
  expect(service.called("verify")).toHaveLength(1);
});

test("a call that may order waits for as long as an order takes", async () => {
  const { service, ask } = await setUp();
  const { verify } = service.handlers;
  service.handlers.verify = async (call) => {
    await pause(22_000);
    return verify?.(call);
  };
  expect(await ask(MAY_ORDER)).toMatchObject({ status: 200, body: "done" });
  expect(service.called("verify")).toHaveLength(1);
});

test("an order whose outcome is not known is asked for again under the same id", async () => {
  const { service, ask } = await setUp();
  const { verify } = service.handlers;
  service.handlers.verify = async (call) => {
    if (service.called("verify").length > 1) return verify?.(call);
    await pause(20_000);
    return refusal(503, "outcome_unknown", { "retry-after": "5" });
  };
  expect(await ask(MAY_ORDER)).toMatchObject({ status: 200, body: "done" });
  const ids = service.called("verify").map(({ body }) => body.agentRequestId);
  expect(ids).toEqual([ids[0], ids[0]]);
});

test.each([
  ["hangs", () => new Promise(() => {}), 30_000],
  ["breaks off", () => Promise.reject(new TypeError("fetch failed")), 1_000],
])("a call that may order is told so when the service %s", async (_how, fails, most) => {
  const { service, ask, work } = await setUp();
  service.handlers.verify = fails;
  const { status, body, ms } = await ask(MAY_ORDER);
  expect([status, work.mock.calls.length]).toEqual([503, 0]);
  expect(ms).toBeLessThanOrEqual(most);
  expect(body).not.toContain("nothing was charged");
  expect(body).toContain("The call was not charged, but a plan may have been ordered.");
});

test("work is answered also where the queue that is to keep its settlement hangs", async () => {
  const queue = { start() {}, add: () => new Promise<void>(() => {}) };
  const { service, ask, logged } = await setUp({ queue });
  service.handlers.settle = () => refusal(503, "unavailable");
  expect(await ask(ORDERS_NOTHING)).toMatchObject({ status: 200, body: "done" });
  expect(logged()).toContain("The queue did not take a settle.");
});

test("an observer that is an async function and fails is logged, and ends no process", async () => {
  const observe = async () => Promise.reject(new Error("disk"));
  const { ask, logged } = await setUp({ observe });
  expect(await ask(ORDERS_NOTHING)).toMatchObject({ status: 200, body: "done" });
  expect(logged()).toContain("An observer of the gate failed.");
});
