import { createServer } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import express from "express";
import fastify from "fastify";
import { afterEach, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen } from "../../test-support/agents/agent.ts";
import { type AskOptions, ask } from "../../test-support/agents/ask.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  planOf,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import type { PriceFunction } from "../routes.ts";
import { createExpressMiddleware } from "./express.ts";
import { createFastifyHook } from "./fastify.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const pagesOf: PriceFunction<Request> = async (request) => Number((await request.json()).pages);
const lengthOf: PriceFunction<Request> = async (request) =>
  Math.max(1, (await request.text()).length);
const queried: PriceFunction<Request> = (request) =>
  Number(new URL(request.url).searchParams.get("pages") ?? 1);

function setUp(credits: PriceFunction<Request>) {
  const service = createFakeService([planOf("42", { minAmount: 1n, maxAmount: 1_000n })]);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const route = { planId: "42", credits };
  const logger = { error: () => {} };
  const options = { queue: createMemoryQueue(), report: false, logger };
  const routes = { "POST /ask": route, "GET /ask": route };
  return { service, gated: [payments, routes, options] as const };
}

/** An app with the usual parsers behind the gate, or before it: what it works on, and what it was paid. */
async function askExpress(
  credits: PriceFunction<Request>,
  options: AskOptions & { isParsedBefore?: boolean },
) {
  const { service, gated } = setUp(credits);
  const app = express();
  const gate = createExpressMiddleware(...gated);
  if (!options.isParsedBefore) app.use(gate);
  app.use(express.json(), express.urlencoded({ extended: true }), express.text());
  if (options.isParsedBefore) app.use(gate);
  app.all("/ask", (request, response) => void response.json({ worked: request.body }));
  const agent = await listen(createServer(app));
  closers.push(agent.close);
  const { status, text } = await ask(agent.origin, "/ask", options);
  return { status, text, paid: service.called("verify")[0]?.body.maxAmount };
}

const typed = (type: string, more: Record<string, string> = {}) => ({
  headers: { "content-type": type, ...more },
});
const UTF7 = '{"pages":1,"x+ACI-:0,+ACI-pages+ACI-:100,+ACI-y":0}';
const FORM = '{"pages":1,"x":"&pages=100&"}';

test.each([
  ["charset", pagesOf, { body: UTF7, ...typed("application/json; charset=utf-7") }],
  ["quoted charset", pagesOf, { body: UTF7, ...typed('application/json; charset="utf-7"') }],
  [
    "second charset",
    pagesOf,
    { body: UTF7, ...typed("application/json; charset=utf-8; charset=utf-7") },
  ],
  [
    "compression",
    lengthOf,
    {
      body: gzipSync("a".repeat(900)) as never,
      ...typed("text/plain", { "content-encoding": "gzip" }),
    },
  ],
  ["form", pagesOf, { body: FORM, ...typed("application/x-www-form-urlencoded") }],
  [
    "body of a GET",
    lengthOf,
    { method: "GET", body: "a".repeat(900), ...typed("text/plain", { "content-length": "900" }) },
  ],
])("a request that parsers read otherwise by its %s has no price", async (_what, credits, sent) => {
  const { status, text, paid } = await askExpress(credits, sent);
  expect({ status, paid }).toEqual({ status: 400, paid: undefined });
  expect(JSON.parse(text)).toMatchObject({ code: "invalid_input", reason: "no price" });
});

const HONEST = '{"pages":3}';

test.each([
  ["of JSON", pagesOf, { body: HONEST, ...typed("application/json") }],
  ["of JSON in UTF-8", pagesOf, { body: HONEST, ...typed("application/json; charset=UTF-8") }],
  ["of JSON without a type", pagesOf, { body: HONEST }],
  ["of JSON as text", pagesOf, { body: HONEST, ...typed("text/plain;charset=UTF-8") }],
  [
    "of no encoding",
    pagesOf,
    { body: HONEST, ...typed("text/plain", { "content-encoding": "identity" }) },
  ],
  [
    "of a form",
    async (request: Request) => Number((await request.formData()).get("pages")),
    { body: "pages=3", ...typed("application/x-www-form-urlencoded") },
  ],
  [
    "of a form that was parsed before the gate",
    pagesOf,
    { body: "pages=3", isParsedBefore: true, ...typed("application/x-www-form-urlencoded") },
  ],
  [
    "that was inflated before the gate",
    pagesOf,
    {
      body: gzipSync(HONEST) as never,
      isParsedBefore: true,
      ...typed("application/json", { "content-encoding": "gzip" }),
    },
  ],
])("a body %s has its price", async (_what, credits, sent) => {
  expect(await askExpress(credits, sent)).toMatchObject({ status: 200, paid: "3" });
});

test("a GET without a body has its price", async () => {
  expect(await askExpress(() => 3, { method: "GET", body: "" })).toMatchObject({ paid: "3" });
});

test.each(["/ask?a=0#&pages=100", "/ask#pages=100", "http://agent.test/ask#pages=100"])(
  "%s, whose query servers read in two ways, is refused",
  async (target) => {
    const { service, gated } = setUp(queried);
    const app = fastify();
    app.addHook("onRequest", createFastifyHook(...gated));
    app.post("/ask", async (request) => request.query);
    closers.push(() => app.close());
    const { port } = new URL(await app.listen({ port: 0, host: "localhost" }));
    const text = await new Promise<string>((resolve) => {
      const head = `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close`;
      const socket = connect(Number(port), "localhost", () =>
        socket.end(`${head}\r\nPayment-Signature: ${tokenTextOf("42")}\r\n\r\n`),
      );
      let received = "";
      socket.on("data", (data) => (received += data));
      socket.on("close", () => resolve(received));
    });
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(service.called("verify")).toEqual([]);
  },
);
