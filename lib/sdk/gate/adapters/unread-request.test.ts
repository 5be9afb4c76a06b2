import { request as send } from "node:http";
import { serve } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { afterEach, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { PaymentMiddleware } from "./hono.ts";
import { unreadForWork } from "./unread-request.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Work = (c: Context) => Promise<object>;

/** An agent whose work is behind a gate, after the middleware. */
function createAgent(...before: MiddlewareHandler[]): Hono {
  const { fetch } = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch });
  const app = new Hono();
  for (const each of before) app.use(each);
  app.use(PaymentMiddleware(payments, { "POST /ask": { planId: "42" } }));
  return app;
}

/** A gated route on a Node server. */
function serveWork(work: Work, ...before: MiddlewareHandler[]): Promise<string> {
  const app = createAgent(...before);
  app.post("/ask", async (c) => c.json(await work(c)));
  return serveAgent(app);
}

async function serveAgent(app: Hono): Promise<string> {
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((listening) => server.once("listening", listening));
  closers.push(() => new Promise((done) => server.close(() => done())));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : address}/ask`;
}

const headers = {
  "payment-signature": tokenTextOf("42"),
  "if-none-match": '"a"',
  "x-own": "kept",
  "content-type": "text/plain",
};
const ask = async (url: string) =>
  (await fetch(url, { method: "POST", headers, body: "a question" })).json();

const hidden = ({ headers: each }: Request) => [
  each.get("payment-signature"),
  each.get("if-none-match"),
  each.get("x-own"),
  each.get("content-type"),
];
const HIDDEN = [null, null, "kept", "text/plain"];
const keeps = (kept: object, name: string) =>
  Object.getOwnPropertySymbols(kept).some(({ description }) => description === name);
const isCopy = (request: Request) => !keeps(request, "incomingKey");

test("the work gets the request without a copy, and without the headers that it does not see", async () => {
  const url = await serveWork(async (c) => ({
    isCopy: isCopy(c.req.raw),
    seen: [hidden(c.req.raw), hidden(c.req.raw.clone()), hidden(new Request(c.req.raw))],
    isRequest: c.req.raw instanceof Request,
    asked: [c.req.raw.method, c.req.raw.url, c.req.header("payment-signature") ?? null],
  }));
  expect(await ask(url)).toEqual({
    isCopy: false,
    seen: [HIDDEN, HIDDEN, HIDDEN],
    isRequest: true,
    asked: ["POST", url, null],
  });
});

test("what the works of two calls get is of one shape, so that the second costs less", async () => {
  const given: object[] = [];
  const url = await serveWork(async (c) => ({ n: given.push(Object.getPrototypeOf(c.req.raw)) }));
  await ask(url);
  await ask(url);
  expect(given[0]).toBe(given[1]);
});

test("no stream is made of an answer's text, and it arrives with its receipt", async () => {
  const answers: Response[] = [];
  const app = createAgent();
  app.post("/ask", (c) => {
    const answer = c.json({ answer: 42 }, 201, { "x-work": "1" });
    answers.push(answer);
    return answer;
  });
  const answer = await fetch(await serveAgent(app), {
    method: "POST",
    headers,
    body: "a question",
  });
  expect([answer.status, answer.headers.get("x-work"), await answer.json()]).toEqual([
    ...[201, "1", { answer: 42 }],
  ]);
  expect(answer.headers.has("payment-response")).toBe(true);
  expect(answers.map((each) => keeps(each, "cache"))).toEqual([true]);
});

const readers: Record<string, (raw: Request) => Promise<string>> = {
  "text()": (raw) => raw.text(),
  "arrayBuffer()": async (raw) => new TextDecoder().decode(await raw.arrayBuffer()),
  "blob()": async (raw) => (await raw.blob()).text(),
  body: (raw) => new Response(raw.body).text(),
  "clone()": (raw) => raw.clone().text(),
  "new Request()": (raw) => new Request(raw).text(),
};

test.each(Object.entries(readers))("%s reads the whole body, once", async (name, read) => {
  const url = await serveWork(async (c) => ({
    text: await read(c.req.raw),
    isUsed: c.req.raw.bodyUsed,
  }));
  expect(await ask(url)).toEqual({ text: "a question", isUsed: name !== "clone()" });
});

test("the work can forward the request", async () => {
  const echo = serve({
    fetch: async (sent) => Response.json([...hidden(sent), await sent.text()]),
    port: 0,
    hostname: "127.0.0.1",
  });
  await new Promise((listening) => echo.once("listening", listening));
  closers.push(() => new Promise((done) => echo.close(() => done())));
  const { port } = echo.address() as { port: number };
  const url = await serveWork(async (c) =>
    (await fetch(`http://127.0.0.1:${port}/`, c.req.raw)).json(),
  );
  expect(await ask(url)).toEqual([...HIDDEN, "a question"]);
});

test("a request that middleware has read more of is copied, and its headers are as hidden", async () => {
  const url = await serveWork(
    async (c) => ({
      isCopy: isCopy(c.req.raw),
      seen: [hidden(c.req.raw), hidden(c.req.raw.clone())],
      text: await c.req.raw.text(),
    }),
    async (c, next) => {
      await c.req.raw.clone().text();
      await next();
    },
  );
  expect(await ask(url)).toEqual({ isCopy: true, seen: [HIDDEN, HIDDEN], text: "a question" });
});

test("the request, and what is made of it, end when the client leaves", async () => {
  let end: (aborted: boolean[]) => void;
  const ended = new Promise<boolean[]>((resolve) => {
    end = resolve;
  });
  const url = await serveWork(async (c) => {
    const signals = [c.req.raw.signal, new Request(c.req.raw).signal];
    const leaving = signals.map(
      (signal) => new Promise((gone) => signal.addEventListener("abort", gone)),
    );
    sent.destroy();
    await Promise.all(leaving);
    end(signals.map(({ aborted }) => aborted));
    return {};
  });
  const sent = send(url, { method: "POST", headers });
  sent.on("error", () => {}).end("a question");
  expect(await ended).toEqual([true, true]);
});

test("any other request is copied", () => {
  expect(unreadForWork(new Request("http://localhost/ask"))).toBeNull();
});
