import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { longTest } from "@/lib/testing/in-full.ts";
import { createGate } from "../../gate/gate.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import { apiKeyOf, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { createSellingService } from "../../test-support/selling-service.ts";
import { Payments } from "../payments.ts";
import { repeating } from "./repeat-lost.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

const MINUTE = 60_000;
const ofProxy = (status: number, headers = {}) => new Response("of a proxy", { status, headers });
const ofGate = (status: number, body: object) => Response.json(body, { status });
const broken = () => new TypeError("The connection broke off.");

/**
 * A buyer whose every call needs an order, behind a proxy whose answers to paid requests, or broken connections, come in place of the
 * agent's as long as there are any. The work lasts until then.
 */
function setUp(answers: Iterator<Response | Error, void>) {
  const service = createSellingService(1n, () => 0);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  let begin = () => {};
  const begun = new Promise<void>((done) => {
    begin = done;
  });
  let finish = () => {};
  const working = new Promise<void>((done) => {
    finish = done;
  });
  const work = vi.fn(async () => {
    begin();
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
    await begun;
    const { value } = answers.next();
    if (value instanceof Error) throw value;
    if (!value) finish();
    return value ?? answering;
  };
  const ask = (init: RequestInit = {}) =>
    payments.fetch(
      "http://agent.test/ask",
      { method: "POST", ...init },
      { fetch: reach, maxSpend: 500n },
    );
  const counts = () => [
    service.orders(),
    service.called("settle").length,
    service.called("revokeToken").length,
    work.mock.calls.length,
  ];
  return { ask, keys, counts };
}

/** One order, one charge, one run of the work, and no token revoked. */
const ONCE = [1, 1, 0, 1];

/** A proxy that waits a minute for the agent. */
function* waiting(times: number) {
  for (let count = 0; count < times; count += 1) {
    vi.advanceTimersByTime(MINUTE);
    yield ofProxy(504);
  }
}

test("a call that outlasts its proxy is asked for again under its key, and paid once", async () => {
  const { ask, counts, keys } = setUp(waiting(3));
  const { response, receipt } = await ask();
  expect([response.status, await response.json()]).toEqual([200, { words: 3 }]);
  expect(response.headers.get("idempotency-replayed")).toBe("true");
  expect(receipt).toMatchObject({ success: true });
  expect(counts()).toEqual(ONCE);
  expect([keys.length, new Set(keys).size]).toEqual([4, 1]);
});

test("a proxy that never waits long enough is asked for five minutes, and its answer is returned", async () => {
  const { ask, keys } = setUp(waiting(100));
  const { response, order } = await ask();
  expect([response.status, await response.text(), order]).toEqual([504, "of a proxy", "unknown"]);
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

longTest("a clock that is set back does not stop the repeats", async () => {
  const { ask } = setUp(
    (function* () {
      yield ofProxy(504);
      vi.setSystemTime(Date.now() - 60 * MINUTE);
      yield ofProxy(504);
    })(),
  );
  expect((await ask()).response.status).toBe(200);
});

test.each<[string, Response]>([
  ["Cloudflare", ofProxy(524)],
  ["a proxy whose time limit is told as JSON", ofGate(504, { code: "GATEWAY_TIMEOUT" })],
])("%s is asked again", async (_, lost) => {
  const { ask, counts, keys } = setUp([lost.clone(), lost].values());
  expect((await ask()).response.status).toBe(200);
  expect([counts(), keys.length]).toEqual([ONCE, 3]);
});

test("a replica whose sibling works on the call is asked again", async () => {
  const { ask } = setUp([ofProxy(504), ofGate(409, { retryable: true })].values());
  expect((await ask()).response.status).toBe(200);
});

test.each([429, 503])(
  "a proxy that limits the repeats is asked when it says: %i",
  async (status) => {
    vi.useRealTimers();
    const limited = ofProxy(status, { "retry-after": "2" });
    const { ask, counts, keys } = setUp([ofProxy(504), limited].values());
    const startedAt = performance.now();
    expect((await ask()).response.status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(1_990);
    expect([counts(), keys.length]).toEqual([ONCE, 3]);
  },
);

test("an agent that is down is asked once more", async () => {
  const { ask, keys } = setUp([502, 502, 502].map((status) => ofProxy(status)).values());
  expect((await ask()).response.status).toBe(502);
  expect(keys).toHaveLength(2);
});

/** Answers to a repeat that leave open what became of the call. */
const OPEN: [string, () => Response | Error][] = [
  ["an error of a proxy", () => ofProxy(500)],
  ["a firewall", () => ofProxy(403)],
  ["a proxy whose agent is down", () => ofProxy(503)],
  ["a gate that can't reach the service", () => ofGate(503, { code: "unavailable" })],
  ["a replica that does not have the answer", () => ofGate(409, { code: "idempotency_conflict" })],
  [
    "an agent that does not keep answers",
    () =>
      Response.json(
        { code: "idempotency_conflict" },
        { status: 409, headers: { "payment-request-id": "req_1" } },
      ),
  ],
  [
    "a token that has expired meanwhile",
    () => ofGate(402, { code: "expired_token", retryable: true }),
  ],
  ["a connection that breaks off", broken],
];

describe.each(OPEN)("a lost call whose repeat meets %s", (_, meets) => {
  const key = { headers: { "idempotency-key": "k-0123456789abcdef" } };

  test("stays lost after a proxy's 504, and its own repeat is not paid again", async () => {
    const { ask, counts } = setUp([ofProxy(504), meets()].values());
    const { response, order } = await ask(key);
    expect([response.status, order]).toEqual([504, "unknown"]);
    expect((await ask(key)).response.status).toBe(200);
    expect(counts()).toEqual(ONCE);
  });

  test("stays lost after a broken connection, and its own repeat is not paid again", async () => {
    const { ask, counts } = setUp([broken(), meets()].values());
    const first = await ask(key).then(
      ({ response, order }) => [response.status, order],
      ({ code, message }) => code ?? message,
    );
    const told = ["The connection broke off.", "outcome_unknown", [503, "unknown"]];
    expect(told).toContainEqual(first);
    expect((await ask(key)).response.status).toBe(200);
    expect(counts()).toEqual(ONCE);
  });
});

test("a call whose answer is withheld while its settlement is open is made again with its token", async () => {
  const [network, error] = ["eip155:84532", "settlement_pending"];
  const receipt = { success: false, errorReason: error, transaction: "", network, error };
  const withheld = Response.json(
    { code: error },
    { status: 402, headers: { "payment-response": encodeHeader(receipt) } },
  );
  const { ask, counts } = setUp([withheld].values());
  const key = { headers: { "idempotency-key": "k-0123456789abcdef" } };
  expect((await ask(key)).declined).toBe("The agent refused the token: settlement_pending.");
  expect((await ask(key)).response.status).toBe(200);
  expect(counts()).toEqual(ONCE);
});

longTest(
  "a broken connection whose repeat breaks off behind a proxy leaves the proxy's answer",
  async () => {
    const { ask } = setUp([broken(), ofProxy(504), broken()].values());
    const { response, order } = await ask();
    expect([response.status, order]).toEqual([504, "unknown"]);
  },
);

test("a broken connection whose repeat tells nothing is thrown with what the repeat said", async () => {
  const { ask } = setUp([broken(), ofGate(402, { code: "expired_token" })].values());
  await expect(ask()).rejects.toMatchObject({
    code: "outcome_unknown",
    message: "The answer was lost, and the repeat was answered with 402: expired_token.",
    hint: expect.stringContaining("same Idempotency-Key"),
    cause: broken(),
  });
});

test.each<[string, () => Response]>([
  ["a success", () => new Response("done")],
  ["a failure that names its request", () => ofProxy(500, { "payment-request-id": "req_1" })],
  ["a refusal for too few credits", () => ofGate(402, { code: "insufficient_balance" })],
])("%s is the outcome of a call whose answer was lost", async (_, answer) => {
  const answers = [broken(), answer()].values();
  const once = async () => {
    const { value } = answers.next();
    if (!(value instanceof Response)) throw value;
    return value;
  };
  const { signal } = new AbortController();
  const response = await repeating(once, { signal, isNamed: true })(null);
  expect(response.status).toBe(answer().status);
});
