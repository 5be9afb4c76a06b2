import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import express from "express";
import { afterEach, describe, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen } from "../../test-support/agents/agent.ts";
import { ask, open, until } from "../../test-support/agents/ask.ts";
import { apiKeyOf, BUILDER, createFakeService } from "../../test-support/fake-service.ts";
import type { GateOptions } from "../gate-options.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createExpressMiddleware } from "./express.ts";
import { createNodeListener } from "./node.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Work = (request: IncomingMessage, response: ServerResponse) => unknown;
type Parts = Parameters<typeof createExpressMiddleware>;

const HOSTS: [string, (parts: Parts, work: Work) => Parameters<typeof createServer>[1]][] = [
  [
    "Express 5",
    (parts, work) =>
      express()
        .use(createExpressMiddleware(...parts))
        .post("/ask", work as never),
  ],
  [
    "Node http",
    ([payments, routes, options], work) => createNodeListener(payments, routes, work, options),
  ],
];

describe.each(HOSTS)("behind %s, work that never ends its response", (_host, listenerOf) => {
  async function setUp(work: Work, given: GateOptions = {}) {
    const service = createFakeService();
    const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
    const options = { queue: createMemoryQueue(), report: false, logger: { error() {} }, ...given };
    const responses: WeakRef<ServerResponse>[] = [];
    const noted: Work = (request, response) => {
      responses.push(new WeakRef(response));
      return work(request, response);
    };
    const parts: Parts = [payments, { "POST /ask": { planId: "42" } }, options];
    const agent = await listen(createServer(listenerOf(parts, noted)));
    stops.push(agent.close);
    const isFree = () => {
      collectGarbage();
      return responses.length > 0 && responses.every((response) => !response.deref());
    };
    return { origin: agent.origin, isFree, closed: (verb: string) => service.called(verb).length };
  }

  test("frees it once the client has left its event stream", async () => {
    const { origin, isFree, closed } = await setUp((_request, response) => {
      const timer = setInterval(() => response.write("data: tick\n\n"), 5);
      response.once("close", () => clearInterval(timer));
      response.writeHead(200, { "content-type": "text/event-stream" });
    });
    const incoming = await open(origin, "/ask");
    await incoming[Symbol.asyncIterator]().next();
    incoming.destroy();
    await until(() => closed("settle") === 1);
    await until(isFree);
    expect(closed("release")).toBe(0);
  });

  test("frees it once the gate has answered 504 in its place", async () => {
    const { origin, isFree, closed } = await setUp(() => {}, { timeoutMs: 20 });
    expect((await ask(origin, "/ask")).status).toBe(504);
    await until(isFree);
    expect([closed("settle"), closed("release")]).toEqual([0, 1]);
  });

  test("frees it once it has thrown", async () => {
    const { origin, isFree, closed } = await setUp(async () => {
      throw new Error("no luck");
    });
    expect((await ask(origin, "/ask")).status).toBe(500);
    await until(isFree);
    expect([closed("settle"), closed("release")]).toEqual([0, 1]);
  });

  test("frees it once it has thrown without its client", async () => {
    let isStarted = false;
    const { origin, isFree, closed } = await setUp(async (_request, response) => {
      const closing = new Promise((resolve) => response.once("close", resolve));
      isStarted = true;
      await closing;
      throw new Error("no luck");
    });
    const leaving = new AbortController();
    const asking = open(origin, "/ask", { signal: leaving.signal });
    await until(() => isStarted);
    leaving.abort();
    await expect(asking).rejects.toThrow();
    await until(() => closed("release") === 1);
    await until(isFree);
    expect(closed("settle")).toBe(0);
  });
});
