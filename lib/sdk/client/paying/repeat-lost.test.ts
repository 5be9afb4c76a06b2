import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createGate } from "../../gate/gate.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";
import { apiKeyOf, createFakeService, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { Payments } from "../payments.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const MINUTE = 60_000;
const ofProxy = (status: number) => new Response("of a proxy", { status });
const conflict = (retryable: boolean) => Response.json({ retryable }, { status: 409 });

/** A buyer behind a proxy, whose answers to paid requests come in place of the agent's as long as there are any. */
function setUp(answers: Iterator<Response, void>) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  let finish = () => {};
  const working = new Promise<void>((done) => {
    finish = done;
  });
  const work = vi.fn(async () => {
    await working;
    return Response.json({ words: 3 });
  });
  const options = { queue: createMemoryQueue(), report: false };
  const gate = createGate(payments, { "POST /ask": { planId: "42" } }, options);
  const keys: (string | null)[] = [];
  const reach = async (request: Request) => {
    if (!request.headers.has("payment-signature")) return gate(request, work);
    keys.push(request.headers.get("idempotency-key"));
    const answering = gate(request, work);
    const { value } = answers.next();
    if (!value) finish();
    return value ?? answering;
  };
  const ask = (init: RequestInit = {}) =>
    payments.fetch("http://agent.test/ask", { method: "POST", ...init }, { fetch: reach });
  return { service, ask, work, keys };
}

/** A proxy that waits a minute for the agent. */
function* waiting(times: number) {
  for (let count = 0; count < times; count += 1) {
    vi.setSystemTime(Date.now() + MINUTE);
    yield ofProxy(504);
  }
}

test("a call that outlasts its proxy is asked for again under its key, and paid once", async () => {
  const { ask, service, work, keys } = setUp(waiting(3));
  const { response, receipt } = await ask();
  expect([response.status, await response.json()]).toEqual([200, { words: 3 }]);
  expect(response.headers.get("idempotency-replayed")).toBe("true");
  expect(receipt).toMatchObject({ success: true });
  expect(work).toHaveBeenCalledTimes(1);
  expect([service.called("mint").length, service.called("settle").length]).toEqual([1, 1]);
  expect([keys.length, new Set(keys).size]).toEqual([4, 1]);
});

test("a proxy that never waits long enough is asked for five minutes, and its answer is returned", async () => {
  const { ask, keys } = setUp(waiting(100));
  const { response } = await ask();
  expect([response.status, await response.text()]).toEqual([504, "of a proxy"]);
  expect(keys).toHaveLength(5);
});

test("a proxy that does not wait is asked once a second, until the caller stops", async () => {
  vi.useRealTimers();
  const stop = new AbortController();
  const { ask, keys } = setUp(
    (function* () {
      yield ofProxy(504);
      yield ofProxy(504);
      queueMicrotask(() => stop.abort(new Error("enough")));
      yield ofProxy(504);
      yield ofProxy(504);
    })(),
  );
  const startedAt = performance.now();
  await expect(ask({ signal: stop.signal })).rejects.toThrow("enough");
  expect(keys).toHaveLength(3);
  expect(performance.now() - startedAt).toBeGreaterThan(990);
});

test("a replica whose sibling works on the call is asked again", async () => {
  const { ask } = setUp([ofProxy(504), conflict(true)].values());
  expect((await ask()).response.status).toBe(200);
});

test("a replica that never has the answer does not make the call a failed one", async () => {
  const { ask } = setUp([ofProxy(504), conflict(false)].values());
  expect((await ask()).response.status).toBe(504);
});

test("an agent that is down is asked once more", async () => {
  const { ask, keys } = setUp([502, 502, 502].map(ofProxy).values());
  expect((await ask()).response.status).toBe(502);
  expect(keys).toHaveLength(2);
});
