import { beforeEach, describe, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { decodeAccessToken, encodeAccessToken } from "../../protocol/access-token.ts";
import type { AccessToken } from "../../protocol/access-token-schema.ts";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  planOf,
  refusal,
  SUBSCRIBER,
  tokenOf,
} from "../../test-support/fake-service.ts";
import { skipWaits } from "../../test-support/skip-waits.ts";
import { createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import type { Work } from "../http-call.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import type { RouteMap } from "../routes.ts";
import type { AnswerStore } from "./answer-store.ts";
import { createMemoryAnswers } from "./memory-answers.ts";

const ID = "order-0000-0000-0001";

function tokenWith(jti: string, extensions = {}): string {
  const token = tokenOf("42");
  const { authorization } = token.payload;
  const payload = { ...token.payload, authorization: { ...authorization, jti } };
  return encodeAccessToken({ ...token, payload, extensions });
}
const identified = (info: unknown) => tokenWith("t1", { "payment-identifier": { info } });
const TOKEN = tokenWith("t1");

/** A service that knows which ids were settled, and as many gates in front of it as a test makes. */
function setUp() {
  const service = createFakeService();
  const states = new Map<string, string>();
  const { verify, settle } = service.handlers;
  const idOf = (body: Record<string, unknown>) => String(body.agentRequestId);
  service.handlers.verify = (call) =>
    states.get(idOf(call.body)) === "posted"
      ? refusal(409, "idempotency_conflict")
      : verify?.(call);
  service.handlers.settle = (call) => {
    states.set(idOf(call.body), "posted");
    return settle?.(call);
  };
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    fetch: service.fetch,
    maxRetries: 0,
  });
  let ran = 0;
  const stage = {
    work: (async (request) => Response.json({ ran, text: await request.text() })) as Work,
  };
  const startGate = (
    options: GateOptions = {},
    routes: RouteMap = { "POST /ask": { planId: "42" } },
  ) => {
    const gate = createGate(payments, routes, {
      queue: createMemoryQueue(),
      report: false,
      logger: { error: () => {} },
      ...options,
    });
    return ({ token = TOKEN, id = ID, body = "{}", path = "/ask", signal }: Asking = {}) =>
      gate(
        new Request(`http://agent.test${path}`, {
          method: "POST",
          body,
          headers: { "payment-signature": token, ...(id && { "idempotency-key": id }) },
          ...(signal && { signal }),
        }),
        (request, payment) => {
          ran += 1;
          return stage.work(request, payment);
        },
      );
  };
  const counts = () => [ran, service.called("settle").length];
  return { service, stage, startGate, ask: startGate(), counts };
}

type Asking = {
  token?: string;
  id?: string | null;
  body?: string;
  path?: string;
  signal?: AbortSignal;
};

const codeOf = async (response: Response) => (await response.json()).code;

describe("T14: a request that names itself", () => {
  test("is answered again with the same bytes and receipt, free", async () => {
    const { ask, counts, service } = setUp();
    const first = await ask();
    const again = await ask();
    expect(await again.text()).toBe(await first.text());
    expect(again.headers.get("payment-response")).toBe(first.headers.get("payment-response"));
    expect(first.headers.has("idempotency-replayed")).toBe(false);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect([counts(), service.called("verify").length]).toEqual([[1, 1], 1]);
  });

  test("is another one with another token or id, and without an id", async () => {
    const { ask, counts } = setUp();
    await ask();
    for (const asking of [
      { token: tokenWith("t2") },
      { id: "order-0000-0000-0002" },
      { id: null },
    ]) {
      const answer = await ask(asking);
      expect([answer.status, answer.headers.has("idempotency-replayed")]).toEqual([200, false]);
    }
    expect(counts()).toEqual([4, 4]);
  });

  test("is verified again with another signature, and gets nothing of the answer that is kept", async () => {
    const { ask, counts, service } = setUp();
    await ask();
    const { verify } = service.handlers;
    service.handlers.verify = (call) => ({
      ...(verify?.(call) as object),
      ...{ isValid: false, invalidReason: "invalid_token", error: "invalid_token" },
    });
    const signature = `0x${"2c".repeat(65)}`;
    const genuine = decodeAccessToken(TOKEN) as AccessToken;
    const payload = { ...genuine.payload, signature };
    const forged = await ask({ token: encodeAccessToken({ ...genuine, payload, signature }) });
    expect([forged.status, forged.headers.has("idempotency-replayed")]).toEqual([402, false]);
    expect(await forged.text()).not.toContain("ran");
    expect([counts(), service.called("verify").length]).toEqual([[1, 1], 2]);
  });

  test.each([
    ["body", { body: "[]" }],
    ["path", { path: "/ask?all=1" }],
  ])("is refused with another %s", async (_what, other) => {
    const { ask, counts } = setUp();
    await ask();
    const refused = await ask(other);
    expect([refused.status, await codeOf(refused)]).toEqual([409, "idempotency_conflict"]);
    expect(counts()).toEqual([1, 1]);
  });

  test("runs once for twenty repeats at the same time", async () => {
    const { ask, counts } = setUp();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    expect(counts()).toEqual([1, 1]);
  });

  test("can be tried again when its work failed", async () => {
    const { ask, stage, counts } = setUp();
    const { work } = stage;
    stage.work = () => new Response("no luck", { status: 500 });
    expect([(await ask()).status, (await ask()).status]).toEqual([500, 500]);
    stage.work = () => {
      throw new Error("out of order");
    };
    await expect(ask()).rejects.toThrow("out of order");
    stage.work = () => Response.json({ __error__: {} });
    expect((await ask()).headers.has("idempotency-replayed")).toBe(false);
    stage.work = work;
    const answers = [await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(counts()).toEqual([5, 1]);
  });

  test("is refused when its work failed and its reservation is still to be released", async () => {
    const { ask, stage, service, counts } = setUp();
    service.handlers.release = () => refusal(503, "unavailable");
    stage.work = () => new Response("no luck", { status: 500 });
    await ask();
    expect(await codeOf(await ask())).toBe("idempotency_conflict");
    expect(counts()).toEqual([1, 0]);
  });

  test("is given to a client that left before its answer", async () => {
    const { ask, counts } = setUp();
    const leaving = new AbortController();
    const first = ask({ signal: leaving.signal });
    leaving.abort();
    await first;
    expect((await ask()).headers.get("idempotency-replayed")).toBe("true");
    expect(counts()).toEqual([1, 1]);
  });
});

describe("T14: an answer that is not kept", () => {
  test("is refused by a replica, and not charged again", async () => {
    const { ask, startGate, counts } = setUp();
    await ask();
    const refused = await startGate()();
    expect([refused.status, await codeOf(refused)]).toEqual([409, "idempotency_conflict"]);
    expect(counts()).toEqual([1, 1]);
  });

  test("is given by a replica that shares the store, and refused while another one works on it", async () => {
    const { startGate, stage, counts } = setUp();
    const answers = createMemoryAnswers();
    const [one, two] = [startGate({ answers }), startGate({ answers })];
    let finish: (() => void) | undefined;
    stage.work = () =>
      new Promise((resolve) => {
        finish = () => resolve(new Response("done"));
      });
    const working = one();
    await expect.poll(() => finish).toBeDefined();
    const busy = await two();
    expect([busy.status, busy.headers.get("retry-after")]).toEqual([409, "1"]);
    finish?.();
    await working;
    expect(await (await two()).text()).toBe("done");
    expect(counts()).toEqual([1, 1]);
  });

  test("because its store is full or it is too long, is not charged again", async () => {
    const { startGate, stage, counts } = setUp();
    const ask = startGate({ answers: createMemoryAnswers({ maxAnswers: 1 }) });
    await ask();
    await ask({ id: "order-0000-0000-0002" });
    expect(await codeOf(await ask())).toBe("idempotency_conflict");
    stage.work = () => new Response(new Uint8Array(1024 * 1024 + 1));
    await (await ask({ id: "long" })).arrayBuffer();
    expect(await codeOf(await ask({ id: "long" }))).toBe("idempotency_conflict");
    expect(counts()).toEqual([3, 3]);
  });

  test("when the store fails, the work does not run", async () => {
    const { startGate, counts } = setUp();
    const claim = () => Promise.reject(new Error("no connection"));
    const ask = startGate({ answers: { ...createMemoryAnswers(), claim } });
    expect((await ask()).status).toBe(503);
    expect((await ask({ id: null })).status).toBe(200);
    expect(counts()).toEqual([1, 1]);
  });
});

describe("T14: an answer that is kept before it is paid", () => {
  beforeEach(skipWaits);

  test("is given to the repeat that learns that it was paid, without working again", async () => {
    const { startGate, service, counts } = setUp();
    const ask = startGate({ answers: createMemoryAnswers(), settle: "strict" });
    const { settle = () => null } = service.handlers;
    service.handlers.settle = () => refusal(503, "unavailable");
    const withheld = await ask();
    expect([withheld.status, await codeOf(withheld)]).toEqual([402, "settlement_pending"]);
    service.handlers.settle = settle;
    const [ran] = counts();
    for (const answer of [await ask(), await ask()])
      expect([answer.status, (await answer.json()).ran]).toEqual([200, 1]);
    expect([ran, counts()[0]]).toEqual([1, 1]);
  });

  test("is kept once more with its receipt, and once if it flows", async () => {
    const { startGate, stage } = setUp();
    const heads: string[] = [];
    const memory = createMemoryAnswers();
    const answers: AnswerStore = {
      ...memory,
      keep(key, answer) {
        heads.push(answer.head.slice(0, 1));
        return memory.keep(key, answer);
      },
    };
    await startGate({ answers })();
    await expect.poll(() => heads).toEqual(["", "{"]);
    stage.work = () =>
      new Response("data: 1\n\n", { headers: { "content-type": "text/event-stream" } });
    await (await startGate({ answers })({ id: "stream-0000-0001" })).text();
    await expect.poll(() => heads).toEqual(["", "{", "{"]);
  });

  test("is delivered and charged also while the store hangs, and what it writes late is replaced", async () => {
    const { startGate, counts } = setUp();
    const memory = createMemoryAnswers();
    let goOn = () => {};
    const hangs = new Promise<void>((resolve) => (goOn = resolve));
    const keep: AnswerStore["keep"] = async (key, answer) => {
      if (answer.head === "") await hangs;
      await memory.keep(key, answer);
    };
    const ask = startGate({ answers: { ...memory, keep }, timeoutMs: 500 });
    expect([(await ask()).status, counts()]).toEqual([200, [1, 1]]);
    goOn();
    const again = await ask();
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect(counts()).toEqual([1, 1]);
  });

  test.each([
    [503, null],
    [409, { fingerprint: "", head: "", body: null }],
  ])(
    "is refused with %s where the store has %j for it, and so is its repeat",
    async (status, claimed) => {
      const claim = () => claimed as unknown as "claimed";
      const ask = setUp().startGate({ answers: { ...createMemoryAnswers(), claim } });
      expect([(await ask()).status, (await ask()).status]).toEqual([status, status]);
    },
  );

  test("is delivered and charged also where the store fails", async () => {
    const { startGate, counts } = setUp();
    const keep = () => Promise.reject(new Error("disk"));
    const ask = startGate({ answers: { ...createMemoryAnswers(), keep } });
    expect((await ask()).status).toBe(200);
    expect(counts()).toEqual([1, 1]);
  });
});

describe("a stream that names itself", () => {
  const EVENTS = { "content-type": "text/event-stream" };
  test("is given again with its receipt, once it was read", async () => {
    const { ask, stage, counts } = setUp();
    stage.work = () => new Response("data: 1\n\n", { headers: EVENTS });
    const [first, waiting] = [await ask(), ask()];
    const text = await first.text();
    expect(text).toContain("event: payment-response");
    const again = await waiting;
    expect(await again.text()).toBe(text);
    expect(again.headers.has("payment-response")).toBe(true);
    expect(counts()).toEqual([1, 1]);
  });

  test("that was cut off is paid, and refused afterwards", async () => {
    const { ask, stage, counts } = setUp();
    stage.work = () =>
      new Response(
        new ReadableStream({
          pull: (feed) => feed.enqueue(new TextEncoder().encode("data: 1\n\n")),
        }),
        { headers: EVENTS },
      );
    const reader = (await ask()).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(await codeOf(await ask())).toBe("idempotency_conflict");
    expect(counts()).toEqual([1, 1]);
  });
});

describe("ids", () => {
  test("an x402 payment identifier names a request like the header", async () => {
    const { ask, counts } = setUp();
    await ask({ id: null, token: identified({ required: false, id: ID }) });
    const again = await ask({ id: null, token: identified({ required: true, id: ID }) });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect((await ask({ id: `"${ID}"` })).headers.get("idempotency-replayed")).toBe("true");
    expect(counts()).toEqual([1, 1]);
  });

  test.each([
    ["an empty key", { id: '""' }],
    ["a key with a space", { id: "a b" }],
    ["a key of 256 characters", { id: "a".repeat(256) }],
    ["an identifier of 15 characters", { id: null, token: identified({ id: "a".repeat(15) }) }],
    [
      "an identifier with other characters",
      { id: null, token: identified({ id: "a/".repeat(8) }) },
    ],
    ["an identifier that is a number", { id: null, token: identified({ id: 1 }) }],
    ["a required identifier that is missing", { id: null, token: identified({ required: true }) }],
    ["an extension without info", { id: null, token: identified(undefined) }],
    ["two different ids", { token: identified({ id: "another-0000-0001" }) }],
  ])("%s is 400", async (_what, asking) => {
    const { ask, service } = setUp();
    const refused = await ask(asking);
    expect([refused.status, (await refused.json()).reason]).toEqual([400, "invalid request id"]);
    expect(service.called("verify")).toEqual([]);
  });

  test("an extension that announces no id names nothing", async () => {
    const { ask, counts } = setUp();
    const token = identified({ required: false });
    await Promise.all([ask({ id: null, token }), ask({ id: null, token })]);
    expect(counts()).toEqual([2, 2]);
  });
});

describe("T14: an answer that was paid for before its work", () => {
  test.each([
    ["JSON", () => Response.json({ done: true })],
    ["a failure", () => Response.json({ done: false }, { status: 500 })],
    ["nothing", () => new Response(null, { status: 204 })],
    [
      "events",
      () => new Response("data: 1\n\n", { headers: { "content-type": "text/event-stream" } }),
    ],
    ["a throw", () => Promise.reject(new Error("no luck"))],
    ["no answer in time", () => new Promise<Response>(() => {})],
  ])("is given again with its receipt: %s", async (_what, work) => {
    const { startGate, stage, counts } = setUp();
    const ask = startGate({ settle: "before", timeoutMs: 200 });
    stage.work = work;
    const first = await ask();
    const text = await first.text();
    const again = await ask();
    expect([again.status, await again.text()]).toEqual([first.status, text]);
    expect(first.headers.get("payment-response")).not.toBeNull();
    expect(again.headers.get("payment-response")).toBe(first.headers.get("payment-response"));
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(counts()).toEqual([1, 1]);
  });

  test("is given again to a client that left before it arrived", async () => {
    const { startGate, counts } = setUp();
    const ask = startGate({ settle: "before" });
    await (await ask()).body?.cancel();
    expect(await (await ask()).text()).toContain('"ran":1');
    expect(counts()).toEqual([1, 1]);
  });

  test.each(["before", "strict"] as const)(
    "flows, where it is a stream, and is kept once it was read whole: %s",
    async (settle) => {
      const { startGate, stage, counts } = setUp();
      const ask = startGate({ settle, buffer: false });
      let source: ReadableStreamDefaultController<Uint8Array> | undefined;
      stage.work = () => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            source = controller;
          },
        });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      };
      const reader = (await ask()).body?.getReader();
      const write = (text: string) => source?.enqueue(new TextEncoder().encode(text));
      write("data: 1\n\n");
      expect((await reader?.read())?.done).toBe(false);
      write("data: 2\n\n");
      source?.close();
      while (!(await reader?.read())?.done);
      expect(await (await ask()).text()).toBe("data: 1\n\ndata: 2\n\n");
      expect(counts()).toEqual([1, 1]);
    },
  );

  test("is paid and not kept where its stream broke off", async () => {
    const { startGate, stage, counts } = setUp();
    const ask = startGate({ settle: "before" });
    stage.work = () =>
      new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
    await (await ask()).body?.cancel();
    expect(await codeOf(await ask())).toBe("idempotency_conflict");
    expect(counts()).toEqual([1, 1]);
  });
});

test("T01: a request that another replica has reserved for is refused for a second, bearer or not", async () => {
  const { service, ask, counts } = setUp();
  const { verify } = service.handlers;
  service.handlers.verify = (call) => ({ ...(verify?.(call) as object), isRepeat: true });
  const refused = await ask();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([409, "1"]);
  expect(counts()).toEqual([0, 0]);
  expect(service.called("release")).toEqual([]);
});

test.each([
  [
    "its answer was lost",
    () => {
      throw new TypeError("The connection broke off.");
    },
  ],
  ["a proxy answered 503", () => new Response("busy", { status: 503 })],
  ["the service answered 503", () => refusal(503, "unavailable")],
])("T01: a verify is sent again as the same attempt where %s", async (_what, first) => {
  const { service, ask, counts } = setUp();
  const { verify } = service.handlers;
  const attempts: unknown[] = [];
  service.handlers.verify = (call) => {
    attempts.push(call.body.attemptId);
    return attempts.length === 1 ? first() : verify?.(call);
  };
  expect([(await ask()).status, counts()]).toEqual([200, [1, 1]]);
  await ask({ id: "another-1234567890" });
  const [own, again, other] = attempts;
  expect([again, other]).toEqual([own, expect.not.stringMatching(String(own))]);
});

test("a body whose stated length is too long for an id is refused unread", async () => {
  const { service } = setUp();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const gate = createGate(
    payments,
    { "POST /ask": { planId: "42" } },
    { queue: createMemoryQueue(), report: false, maxBodyBytes: 1024 },
  );
  let pulled = 0;
  const body = new ReadableStream(
    {
      pull(feed) {
        pulled += 1;
        feed.enqueue(new Uint8Array(100));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "payment-signature": TOKEN, "idempotency-key": ID, "content-length": "1025" };
  const init = { method: "POST", body, headers, duplex: "half" } as RequestInit;
  const refused = await gate(new Request("http://agent.test/ask", init), () => new Response());
  expect([refused.status, pulled]).toEqual([400, 0]);
  expect(service.called("verify")).toEqual([]);
});

describe("a wallet's payment, which anyone can read on chain", () => {
  const NONCE = `0x${"cd".repeat(32)}`;
  const exactPayment = (extensions?: object) =>
    encodeHeader({
      x402Version: 2,
      accepted: { scheme: "exact", network: "eip155:84532", extra: { planId: "42" } },
      payload: {
        signature: `0x${"ab".repeat(65)}`,
        authorization: { from: SUBSCRIBER, nonce: NONCE },
      },
      ...(extensions && { extensions }),
    });
  const setUpExact = () => {
    const given = setUp();
    const { verify } = given.service.handlers;
    // As the service: a request is its client's from its first verify on.
    const clients = new Map<unknown, unknown>();
    given.service.handlers.verify = (call) => {
      const { agentRequestId, requestDigest } = call.body;
      const answer = verify?.(call);
      const isFirst = !clients.has(agentRequestId);
      if (isFirst) clients.set(agentRequestId, requestDigest);
      const isOwn = isFirst || clients.get(agentRequestId) === requestDigest;
      if (!isOwn) return refusal(409, "idempotency_conflict");
      return answer instanceof Response ? answer : { ...(answer as object), scheme: "exact" };
    };
    given.service.handlers.getPlan = () => {
      const plan = planOf("42");
      return {
        ...plan,
        registry: { ...plan.registry, price: { ...plan.registry.price, currency: "USDC" } },
      };
    };
    const ask = given.startGate({}, { "POST /ask": { planId: "42", exact: true } });
    return { ...given, ask };
  };

  test("does not get its finished answer, nor waits for a running one", async () => {
    const { ask, stage, counts } = setUpExact();
    let finish = () => {};
    const started = new Promise<void>((begin) => {
      stage.work = () => {
        begin();
        return new Promise((resolve) => {
          finish = () => resolve(new Response("secret"));
        });
      };
    });
    const first = ask({ token: exactPayment(), id: "idem_0123456789abcdef" });
    await started;
    const thefts = [{ id: null }, { id: "idem_0000000000000000" }, { id: NONCE }];
    for (const theft of thefts) {
      expect(await codeOf(await ask({ token: exactPayment(), ...theft }))).toBe(
        "idempotency_conflict",
      );
    }
    finish();
    expect(await (await first).text()).toBe("secret");
    for (const theft of thefts) {
      const stolen = await ask({ token: exactPayment(), ...theft });
      expect([stolen.status, await codeOf(stolen)]).toEqual([409, "idempotency_conflict"]);
    }
    const again = await ask({ token: exactPayment(), id: "idem_0123456789abcdef" });
    expect([await again.text(), again.headers.get("idempotency-replayed")]).toEqual([
      "secret",
      "true",
    ]);
    expect(counts()).toEqual([1, 1]);
  });

  test("without an id of its client is one request, and its answer is never given again", async () => {
    const { ask, counts } = setUpExact();
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => ask({ token: exactPayment(), id: null })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await ask({ token: exactPayment(), id: null })).status).toBe(409);
    expect(counts()).toEqual([1, 1]);
  });

  test("may name its request by the extension as well", async () => {
    const { ask, counts } = setUpExact();
    const token = exactPayment({ "payment-identifier": { info: { id: ID } } });
    await ask({ token, id: null });
    const again = await ask({ token, id: ID });
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect((await ask({ token: exactPayment(), id: null })).status).toBe(409);
    expect(counts()).toEqual([1, 1]);
  });
});
