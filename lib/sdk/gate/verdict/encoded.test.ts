import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import express from "express";
import { expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { ask } from "../../test-support/agents/ask.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createExpressMiddleware } from "../adapters/express.ts";
import { createGate } from "../gate.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import type { RouteConfig } from "../routes.ts";

const setUp = () => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const options = { queue: createMemoryQueue(), report: false };
  return { service, payments, options, settled: () => service.called("settle").length };
};
const isSuccess: RouteConfig["isSuccess"] = ({ text }) => text.startsWith('{"ok":true');

test.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
])("work that answers in %s is judged by its text", async (encoding, compress) => {
  const { payments, options, settled } = setUp();
  const routes = { "POST /ask": { planId: "42", isSuccess }, "POST /wait": { planId: "42" } };
  const gate = createGate(payments, routes, options);
  const headers = { "content-type": "application/json", "content-encoding": encoding };
  const post = (path: string, answer: object) =>
    gate(
      new Request(`https://a.test${path}`, {
        method: "POST",
        headers: { "payment-signature": tokenTextOf("42") },
      }),
      () => new Response(new Uint8Array(compress(JSON.stringify(answer))), { headers }),
    );
  await post("/ask", { ok: true });
  expect(settled()).toBe(1);
  await post("/ask", { ok: false });
  await post("/wait", { __error__: {} });
  expect(settled()).toBe(1);
  await post("/wait", { done: true });
  expect(settled()).toBe(2);
});

test.each([
  ["an unknown encoding", "x-own", new Uint8Array([1, 2])],
  ["an encoding that it does not have", "gzip", new Uint8Array(brotliCompressSync("{}"))],
])("work that answers in %s is not taken for failed", async (_what, encoding, bytes) => {
  const { payments, options, settled } = setUp();
  const gate = createGate(payments, { "POST /ask": { planId: "42", isSuccess } }, options);
  const headers = { "payment-signature": tokenTextOf("42") };
  await gate(new Request("https://a.test/ask", { method: "POST", headers }), () => {
    const answered = { "content-type": "application/json", "content-encoding": encoding };
    return new Response(bytes, { headers: answered });
  });
  expect(settled()).toBe(1);
});

/** Compresses what is sent, when its client accepts gzip, as `compression` does. */
const compressing = (incoming: IncomingMessage, outgoing: ServerResponse, next: () => void) => {
  const end = outgoing.end.bind(outgoing);
  outgoing.end = ((body: string | Uint8Array) => {
    if (!/gzip/.test(String(incoming.headers["accept-encoding"]))) return end(body);
    outgoing.setHeader("content-encoding", "gzip");
    outgoing.removeHeader("content-length");
    return end(gzipSync(body ?? ""));
  }) as typeof outgoing.end;
  next();
};

test("a caller cannot have an answer compressed before it is judged", async () => {
  const { payments, options, settled, service } = setUp();
  const app = express();
  const routes = { "POST /ask": { planId: "42", isSuccess }, "POST /stream": { planId: "42" } };
  app.use(createExpressMiddleware(payments, routes, options));
  app.use(compressing as never);
  app.post("/ask", (_request, response) => response.json({ ok: true }));
  app.post("/stream", (_request, response) =>
    response.type("text/event-stream").end("event: error\ndata: {}\n\n"),
  );
  const server = createServer(app as never).listen(0);
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const headers = { "accept-encoding": "gzip, br" };
    expect((await ask(origin, "/ask", { headers })).json()).toEqual({ ok: true });
    expect(settled()).toBe(1);
    await ask(origin, "/stream", { headers });
    expect([settled(), service.called("release").length]).toEqual([1, 1]);
  } finally {
    server.close();
  }
});

test("middleware before the gate still compresses what leaves it", async () => {
  const { payments, options } = setUp();
  const app = express();
  app.use(((incoming: IncomingMessage, outgoing: ServerResponse, next: () => void) => {
    const write = outgoing.writeHead.bind(outgoing);
    outgoing.writeHead = ((...args: Parameters<typeof write>) => {
      outgoing.setHeader("x-accepted", String(incoming.headers["accept-encoding"]));
      return write(...args);
    }) as typeof outgoing.writeHead;
    next();
  }) as never);
  app.use(createExpressMiddleware(payments, { "POST /ask": { planId: "42" } }, options));
  app.post("/ask", (request, response) => response.send(String(request.get("accept-encoding"))));
  const server = createServer(app as never).listen(0);
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answer = await ask(origin, "/ask", { headers: { "accept-encoding": "gzip" } });
    expect([answer.text, answer.headers["x-accepted"]]).toEqual(["undefined", "gzip"]);
  } finally {
    server.close();
  }
});

test("work without what `isSuccess` looks for costs nothing, also without a body", async () => {
  const { payments, options, settled } = setUp();
  const isSuccess = (({ text }) => (text ? JSON.parse(text).answer : "")) as NonNullable<
    RouteConfig["isSuccess"]
  >;
  const gate = createGate(payments, { "POST /ask": { planId: "42", isSuccess } }, options);
  const headers = { "payment-signature": tokenTextOf("42") };
  const answers = [
    () => Response.json({}),
    () => Response.json({ answer: null }),
    () => Response.json({ answer: "" }),
    () => new Response(null, { status: 204 }),
  ];
  for (const answer of answers) {
    const asked = new Request("https://a.test/ask", { method: "POST", headers });
    await (await gate(asked, answer)).text();
  }
  expect(settled()).toBe(0);
});
