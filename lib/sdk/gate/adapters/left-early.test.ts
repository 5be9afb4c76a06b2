import { createReadStream } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import { pipeline as pipelineOf } from "node:stream/promises";
import express from "express";
import fastify, { type FastifyReply } from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen } from "../../test-support/agents/agent.ts";
import { open, until } from "../../test-support/agents/ask.ts";
import { apiKeyOf, BUILDER, createFakeService } from "../../test-support/fake-service.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createExpressMiddleware } from "./express.ts";
import { createFastifyHook } from "./fastify.ts";
import { createNodeListener } from "./node.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Parts = Parameters<typeof createFastifyHook>;
type Work = (response: ServerResponse) => unknown;

function setUp() {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const options = { queue: createMemoryQueue(), report: false, logger: { error: () => {} } };
  const parts: Parts = [payments, { "POST /ask": { planId: "42" } }, options];
  const counts = () => ["settle", "release"].map((verb) => service.called(verb).length);
  return { parts, counts, service };
}

/** Asks, leaves while the work runs, and lets the work answer once its response has closed. */
async function leaveEarly(origin: string, started: Promise<ServerResponse>, goOn: () => void) {
  const leaving = new AbortController();
  const asking = open(origin, "/ask", { signal: leaving.signal });
  const response = await started;
  const closed = new Promise((resolve) => response.once("close", resolve));
  leaving.abort();
  await expect(asking).rejects.toThrow();
  await closed;
  goOn();
}

/** Work that tells when it has begun, and waits until it may go on. */
function gated() {
  let [start, goOn] = [(_response: ServerResponse) => {}, () => {}];
  const started = new Promise<ServerResponse>((resolve) => (start = resolve));
  const going = new Promise<void>((resolve) => (goOn = resolve));
  const wait = (response: ServerResponse) => {
    start(response);
    return going;
  };
  return { started, goOn: () => goOn(), wait };
}

const WORK: [string, Work, [number, number]][] = [
  [
    "pipes its answer",
    (response) => pipeline(Readable.from(["a", "b"]), response, () => {}),
    [1, 0],
  ],
  ["waits for its pipe", (response) => pipelineOf(Readable.from(["a"]), response), [1, 0]],
  [
    "pipes a file that is missing",
    (to) => pipeline(createReadStream("/missing"), to, () => {}),
    [0, 1],
  ],
  ["destroys its response", (response) => response.destroy(), [0, 1]],
];

/** A source without an end, and whether someone stopped it. */
const endless = () =>
  new Readable({
    read() {
      setImmediate(() => this.push("tick"));
    },
  });

const HOSTS: [string, (parts: Parts, work: Work) => Promise<string>][] = [
  [
    "Express 5",
    async (parts, work) => {
      const app = express();
      app.use(createExpressMiddleware(...parts));
      app.post("/ask", (_request, response) => void work(response));
      const agent = await listen(createServer(app));
      stops.push(agent.close);
      return agent.origin;
    },
  ],
  [
    "Node http",
    async ([payments, routes, options], work) => {
      const run = (_request: IncomingMessage, response: ServerResponse) => work(response);
      const agent = await listen(createServer(createNodeListener(payments, routes, run, options)));
      stops.push(agent.close);
      return agent.origin;
    },
  ],
];

describe.each(HOSTS)("behind %s", (_host, start) => {
  test.each(WORK)(
    "T18: a client leaves before the answer begins: work that %s is decided at once",
    async (_what, work, expected) => {
      const { parts, counts } = setUp();
      const { started, goOn, wait } = gated();
      let isDone = false;
      const origin = await start(parts, async (response) => {
        await wait(response);
        await work(response);
        isDone = true;
      });
      await leaveEarly(origin, started, goOn);
      await until(() => counts().some((count) => count > 0));
      expect(counts()).toEqual(expected);
      await until(() => isDone);
    },
  );

  test("T18: a client leaves before an endless stream begins: it is paid, and stops", async () => {
    const { parts, counts } = setUp();
    const { started, goOn, wait } = gated();
    const source = endless();
    const origin = await start(parts, async (response) => {
      await wait(response);
      response.setHeader("content-type", "text/csv");
      pipeline(source, response, () => {});
    });
    await leaveEarly(origin, started, goOn);
    await until(() => source.destroyed);
    expect(counts()).toEqual([1, 0]);
  });

  test("T18: a client that leaves while its token is verified: the pipe is decided at once", async () => {
    const { parts, counts, service } = setUp();
    const { verify } = service.handlers;
    let goOn: (() => void) | undefined;
    service.handlers.verify = async (call) => {
      await new Promise<void>((resolve) => (goOn = resolve));
      return verify?.(call) ?? null;
    };
    let hasRun = false;
    const origin = await start(parts, (response) => {
      hasRun = true;
      pipeline(Readable.from(["a"]), response, () => {});
    });
    const leaving = new AbortController();
    const asking = open(origin, "/ask", { signal: leaving.signal });
    await until(() => goOn !== undefined);
    leaving.abort();
    await expect(asking).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    goOn?.();
    await until(() => counts().some((count) => count > 0));
    expect(counts()).toEqual(hasRun ? [1, 0] : [0, 1]);
  });
});

const ANSWERS: [string, (reply: FastifyReply) => unknown, [number, number]][] = [
  ["returns text", () => "done", [1, 0]],
  ["sends text", (reply) => void reply.send("done"), [1, 0]],
  ["sends a stream", (reply) => reply.send(Readable.from(["a", "b"])), [1, 0]],
  ["sends a Web stream", (reply) => reply.send(new Response("done").body), [1, 0]],
  ["sends a Response", (reply) => reply.send(new Response("done")), [1, 0]],
  ["sends a stream that fails", (reply) => reply.send(createReadStream("/missing")), [0, 1]],
  [
    "throws",
    () => {
      throw new Error("no luck");
    },
    [0, 1],
  ],
];

test.each(ANSWERS)(
  "T18: a client leaves before Fastify answers: work that %s is decided at once",
  async (_what, answer, expected) => {
    const { parts, counts } = setUp();
    const { started, goOn, wait } = gated();
    const app = fastify();
    app.addHook("onRequest", createFastifyHook(...parts));
    app.post("/ask", async (_request, reply) => {
      await wait(reply.raw);
      return answer(reply);
    });
    const origin = await app.listen({ port: 0, host: "127.0.0.1" });
    stops.push(() => {
      app.server.closeAllConnections();
      return app.close();
    });
    await leaveEarly(origin, started, goOn);
    await until(() => counts().some((count) => count > 0));
    expect(counts()).toEqual(expected);
  },
);

test("T18: a client leaves, and Fastify sends no answer for work that returns none: the gate's limit ends it", async () => {
  const { parts, counts } = setUp();
  const [payments, routes, options] = parts;
  const { started, goOn, wait } = gated();
  const app = fastify();
  const limited = { ...options, timeoutMs: 200 };
  app.addHook("onRequest", createFastifyHook(payments, routes, limited));
  app.post("/ask", async (_request, reply) => {
    await wait(reply.raw);
  });
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  stops.push(() => app.close());
  await leaveEarly(origin, started, goOn);
  await until(() => counts().some((count) => count > 0));
  expect(counts()).toEqual([0, 1]);
});

test("T18: a client leaves before Fastify sends an endless stream: it is paid, and stops", async () => {
  const { parts, counts } = setUp();
  const { started, goOn, wait } = gated();
  const source = endless();
  const app = fastify();
  app.addHook("onRequest", createFastifyHook(...parts));
  app.post("/ask", async (_request, reply) => {
    await wait(reply.raw);
    return reply.type("text/csv").send(source);
  });
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  stops.push(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  await leaveEarly(origin, started, goOn);
  await until(() => source.destroyed);
  expect(counts()).toEqual([1, 0]);
});
