import { createServer, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import compression from "compression";
import express from "express";
import { afterEach, expect, test, vi } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen, type RunningAgent } from "../../test-support/agents/agent.ts";
import { ask } from "../../test-support/agents/ask.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import type { GateOptions } from "../gate-options.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createExpressMiddleware } from "./express.ts";
import { createNodeListener } from "./node.ts";

const running: RunningAgent[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ close }) => close()));
});

function setUp() {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const errors: string[] = [];
  const options: GateOptions = {
    queue: createMemoryQueue(),
    report: false,
    logger: { error: (message) => errors.push(message) },
  };
  return { service, payments, options, errors };
}

test("what an async listener throws where nothing is gated is answered with 500, and ends no process", async () => {
  const { payments, options, errors } = setUp();
  const listener = createNodeListener(
    payments,
    { "POST /ask": { planId: "42" } },
    async () => {
      throw new Error("the agent fell over");
    },
    options,
  );
  const agent = await listen(createServer(listener));
  running.push(agent);
  const signal = AbortSignal.timeout(3_000);
  const answer = await ask(agent.origin, "/free", { token: null, signal });
  expect([answer.status, errors]).toEqual([500, ["The work failed."]]);
});

test("the answer to work that throws does not say that nothing was charged", async () => {
  const { payments, service, options } = setUp();
  const listener = createNodeListener(
    payments,
    { "POST /ask": { planId: "42" } },
    () => {
      throw new Error("the agent fell over");
    },
    { ...options, settle: "before" },
  );
  const agent = await listen(createServer(listener));
  running.push(agent);
  const answer = await ask(agent.origin, "/ask");
  expect([answer.status, service.called("settle").length]).toEqual([500, 1]);
  expect(answer.receipt()).toMatchObject({ success: true, outcome: "failed" });
  expect(answer.json()).toMatchObject({ code: "internal", reason: "work failed" });
  expect(answer.text).not.toContain("charged");
});

test("the answer to work that throws names its request, and drops what the work had set", async () => {
  const { payments, service, options, errors } = setUp();
  const listener = createNodeListener(
    payments,
    { "POST /ask": { planId: "42" } },
    (_request, response: ServerResponse) => {
      response.setHeader("content-length", "5");
      throw new Error("the agent fell over");
    },
    options,
  );
  const agent = await listen(createServer(listener));
  running.push(agent);
  const answer = await ask(agent.origin, "/ask");
  const [verify] = service.called("verify");
  expect([answer.status, answer.json().reason]).toEqual([500, "work failed"]);
  expect(answer.headers["payment-request-id"]).toBe(verify?.body.agentRequestId);
  expect([answer.receipt(), errors]).toEqual([null, ["The work failed."]]);
  expect([service.called("settle").length, service.called("release").length]).toEqual([0, 1]);
});

test.each(["//x/ask", "///x/ask", "http:///x/ask", "http://x\\ask", "//cheap/ask"])(
  "a target of %j, which a listener may parse as the URL of a paid route, is refused",
  async (target) => {
    const { payments, service, options } = setUp();
    const work = vi.fn();
    const listener = createNodeListener(
      payments,
      { "POST /ask": { planId: "42", credits: 9 }, "POST /cheap/ask": { planId: "42" } },
      (request, response: ServerResponse) => {
        work(new URL(request.url ?? "", "http://localhost").pathname);
        response.end("done");
      },
      options,
    );
    const agent = await listen(createServer(listener));
    running.push(agent);
    for (const token of [null, undefined]) {
      expect((await ask(agent.origin, target, { token })).status).toBe(400);
    }
    expect([work.mock.calls, service.called("verify")]).toEqual([[], []]);
  },
);

test.each([
  "agent.test/ask?n=1&",
  "agent.test/ask?",
  "agent.test/?#",
  "agent.test\\ask?n=1",
  "x@agent.test",
])(
  "a host of %j, which would change the path or query that is priced, is refused",
  async (host) => {
    const { payments, service, options } = setUp();
    const app = express();
    const credits = vi.fn((request: Request) => Number(new URL(request.url).searchParams.get("n")));
    app.use(createExpressMiddleware(payments, { "POST /ask": { planId: "42", credits } }, options));
    const work = vi.fn();
    app.post("/ask", (request, response) => {
      work(request.query.n);
      response.send("done");
    });
    const agent = await listen(createServer(app));
    running.push(agent);
    const answer = await ask(agent.origin, "/ask?n=7", { headers: { host } });
    expect([answer.status, work.mock.calls, service.called("verify")]).toEqual([400, [], []]);
    expect((await ask(agent.origin, "/ask?n=7")).status).toBe(200);
    expect(service.called("settle")[0]?.body.maxAmount).toBe("7");
  },
);

test.each(["application/json", "text/plain"])(
  "%s that is piped through compression before the gate arrives whole",
  async (type) => {
    const { payments, options } = setUp();
    const app = express();
    app.use(compression());
    app.use(createExpressMiddleware(payments, { "POST /ask": { planId: "42" } }, options));
    app.post("/ask", (_request, response) => {
      const pieces = Array.from({ length: 40 }, (_, at) => `"${at}${"x".repeat(20_000)}",`);
      response.setHeader("content-type", type);
      Readable.from(["[", ...pieces, "0]"]).pipe(response);
    });
    const agent = await listen(createServer(app));
    running.push(agent);
    const signal = AbortSignal.timeout(5_000);
    const headers = { "payment-signature": tokenTextOf("42"), "accept-encoding": "gzip" };
    const answer = await fetch(`${agent.origin}/ask`, { method: "POST", headers, signal });
    expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, "gzip"]);
    expect(JSON.parse(await answer.text())).toHaveLength(41);
  },
);

test("T25: a body that is too long for a `credits` function is 400", async () => {
  const { payments, options, service } = setUp();
  const credits = async (request: Request) => (await request.text()).length;
  const listener = createNodeListener(
    payments,
    { "POST /ask": { planId: "42", credits } },
    () => {},
    options,
  );
  const agent = await listen(createServer(listener));
  running.push(agent);
  const body = "x".repeat(11 * 1024 * 1024);
  const answer = await ask(agent.origin, "/ask", { body });
  expect([answer.status, answer.json()]).toMatchObject([400, { code: "invalid_input" }]);
  expect(service.called("verify")).toEqual([]);
});

test("a body up to `maxBodyBytes` is one of a request with an id", async () => {
  const { payments, options } = setUp();
  const app = express();
  const allowed = { ...options, maxBodyBytes: 16 * 1024 * 1024 };
  app.use(createExpressMiddleware(payments, { "POST /ask": { planId: "42" } }, allowed));
  app.post("/ask", async (request, response) => {
    let size = 0;
    for await (const chunk of request) size += (chunk as Uint8Array).byteLength;
    response.json({ size });
  });
  const agent = await listen(createServer(app));
  running.push(agent);
  const headers = { "idempotency-key": "a-large-question" };
  const body = "x".repeat(12 * 1024 * 1024);
  const answer = await ask(agent.origin, "/ask", { headers, body });
  expect([answer.status, answer.json()]).toEqual([200, { size: body.length }]);
});

const COOKIES = ["a=1", "b=2"];
const LINKS = ["</1>; rel=prev", "</3>; rel=next"];

test.each<[form: string, head: unknown]>([
  [
    "a flat list",
    ["set-cookie", "a=1", "link", LINKS[0], "Set-Cookie", "b=2", "link", LINKS[1], "x-one", "1"],
  ],
  [
    "a list of pairs",
    [...COOKIES.map((value) => ["set-cookie", value]), ["link", LINKS], ["x-one", "1"]],
  ],
  ["an object of lists", { "set-cookie": COOKIES, link: LINKS, "x-one": "1" }],
])("`writeHead` with %s keeps equal headers, in place of earlier ones", async (_, head) => {
  const { payments, options } = setUp();
  const work = (_request: unknown, response: ServerResponse) => {
    response.setHeader("set-cookie", "earlier=1");
    response.writeHead(200, head as never).end("done");
  };
  const listener = createNodeListener(payments, { "POST /ask": { planId: "42" } }, work, options);
  const agent = await listen(createServer(listener));
  running.push(agent);
  const { headers } = await ask(agent.origin, "/ask");
  expect(headers).toMatchObject({ "set-cookie": COOKIES, link: LINKS.join(", "), "x-one": "1" });
});
