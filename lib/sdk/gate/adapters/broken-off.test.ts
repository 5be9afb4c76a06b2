import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { PassThrough, pipeline } from "node:stream";
import express from "express";
import fastify from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen, type RunningAgent } from "../../test-support/agents/agent.ts";
import { ask, open, until } from "../../test-support/agents/ask.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import type { GateOptions } from "../gate-options.ts";
import type { GateEvent, RequestEvent } from "../observe.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createExpressMiddleware } from "./express.ts";
import { createFastifyHook } from "./fastify.ts";
import { createNodeListener } from "./node.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

const agents: RunningAgent[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
});

function setUp(more: GateOptions = {}) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const events: GateEvent[] = [];
  const logged: unknown[] = [];
  const options = {
    queue: createMemoryQueue(),
    report: false,
    logger: {
      error: (message: string, fields?: object) => logged.push({ message, ...fields }),
    },
    observe: (event: GateEvent) => events.push(event),
    ...more,
  };
  const count = (verb: string) => service.called(verb).length;
  const ended = () => events.filter((each): each is RequestEvent => each.type === "request");
  const routes = { "POST /ask": { planId: "42" } };
  return { parts: [payments, routes, options] as const, count, ended, logged };
}

async function serve(server: ReturnType<typeof createServer>): Promise<string> {
  const agent = await listen(server);
  agents.push(agent);
  return agent.origin;
}

const JSON_TYPE = { "content-type": "application/json" };
const openJson = (response: ServerResponse, headers = {}) =>
  response.writeHead(200, { ...JSON_TYPE, ...headers }).write('{"words":');

/** A source that breaks after its first piece. */
function breaking(): PassThrough {
  const source = new PassThrough();
  source.write('{"words":');
  source.once("resume", () => setImmediate(() => source.destroy(new Error("upstream broke"))));
  return source;
}

const BREAKS: [string, Handler][] = [
  [
    "pipes a file that is missing",
    (_, response) => pipeline(createReadStream("/missing"), response, () => {}),
  ],
  ["destroys its response", (_, response) => response.destroy(new Error("no luck"))],
  ["destroys it without a reason", (_, response) => response.destroy()],
  [
    "pipes an upstream that breaks inside a JSON body",
    (_, response) => {
      response.writeHead(200, JSON_TYPE);
      pipeline(breaking(), response, () => {});
    },
  ],
  [
    "pipes an upstream that breaks inside a body of known length",
    (_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": "100" });
      pipeline(breaking(), response, () => {});
    },
  ],
  [
    "throws after the head of a JSON body",
    (_, response) => {
      openJson(response);
      throw new Error("no luck");
    },
  ],
];

const AFTER_ITS_END: [string, Handler][] = [
  ["destroys its response", (_, response) => response.destroy()],
  ["destroys it for a reason", (_, response) => response.destroy(new Error("no luck"))],
  // As Express does for an error that no handler takes.
  ["destroys its connection", (request) => request.socket.destroy()],
];

describe.each([
  [
    "Express 5",
    ({ parts }: ReturnType<typeof setUp>, handler: Handler) => {
      const app = express();
      app.set("env", "test");
      app.use(createExpressMiddleware(...parts));
      app.post("/ask", (request, response) => void handler(request, response));
      return serve(createServer(app));
    },
  ],
  [
    "Node http",
    ({ parts: [payments, routes, options] }: ReturnType<typeof setUp>, handler: Handler) =>
      serve(createServer(createNodeListener(payments, routes, handler, options))),
  ],
])("behind %s", (_adapter, start) => {
  test.each(BREAKS)(
    "T19: work that %s costs nothing, and may be tried again",
    async (_what, handler) => {
      const stage = setUp();
      const origin = await start(stage, handler);
      for (const tries of [1, 2]) {
        const headers = { "idempotency-key": "k1" };
        await ask(origin, "/ask", { headers }).catch(() => null);
        await until(() => stage.ended().length === tries);
        expect([stage.count("verify"), stage.count("release")]).toEqual([tries, tries]);
        expect(stage.ended().at(-1)).toMatchObject({
          moneyStatus: "not-charged",
          reason: "exception",
        });
      }
      expect(stage.count("settle")).toBe(0);
    },
  );

  test("T18: a client that leaves inside a JSON body pays for work that ends", async () => {
    const stage = setUp();
    let working: ServerResponse | undefined;
    const origin = await start(stage, (_request, response) => {
      openJson(response);
      working = response;
    });
    const leaving = new AbortController();
    const asking = open(origin, "/ask", { signal: leaving.signal });
    await until(() => working !== undefined);
    leaving.abort();
    await expect(asking).rejects.toThrow();
    await until(() => working?.destroyed === true);
    working?.end("3}");
    await until(() => stage.ended().length === 1);
    expect([stage.count("settle"), stage.count("release")]).toEqual([1, 0]);
  });

  test.each([
    ["inside a JSON body pays nothing", JSON_TYPE, 0],
    ["a flowing answer unread pays for it", { "content-type": "text/csv" }, 1],
  ])("T18: a client that leaves %s where the work gives up then", async (_what, head, settled) => {
    const stage = setUp();
    let working: ServerResponse | undefined;
    const origin = await start(stage, (_request, response) => {
      response.once("close", () => response.destroy());
      response.writeHead(200, head);
      working = response;
    });
    const leaving = new AbortController();
    const asking = open(origin, "/ask", { signal: leaving.signal }).catch(() => null);
    await (settled ? asking : until(() => working !== undefined));
    leaving.abort();
    await until(() => stage.ended().length === 1);
    expect([stage.count("settle"), stage.count("release")]).toEqual([settled, 1 - settled]);
  });

  test("T18: a client that leaves inside a piped file pays for what it received", async () => {
    const stage = setUp();
    const origin = await start(stage, (_request, response) => {
      const source = new PassThrough();
      response.writeHead(200, { "content-type": "text/csv" });
      pipeline(source, response, () => {});
      setImmediate(() => setImmediate(() => source.write("a,b\n")));
    });
    const incoming = await open(origin, "/ask");
    await incoming[Symbol.asyncIterator]().next();
    incoming.destroy();
    await until(() => stage.ended().length === 1);
    expect([stage.count("settle"), stage.count("release")]).toEqual([1, 0]);
  });

  test("T18: a client that leaves a piped file unread pays for it", async () => {
    const stage = setUp();
    const origin = await start(stage, (_request, response) => {
      response.writeHead(200, { "content-type": "text/csv" });
      pipeline(new PassThrough(), response, () => {});
    });
    (await open(origin, "/ask")).destroy();
    await until(() => stage.ended().length === 1);
    expect([stage.count("settle"), stage.count("release")]).toEqual([1, 0]);
  });

  test.each(["1.0", "1.1"])(
    "a client of HTTP/%s sees that a stream breaks off",
    async (version) => {
      const stage = setUp();
      let working: ServerResponse | undefined;
      const origin = await start(stage, (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("data: 1\n\n");
        working = response;
      });
      const client = connect(Number(new URL(origin).port), "127.0.0.1").setEncoding("utf8");
      const token = `payment-signature: ${tokenTextOf("42")}`;
      client.write(`POST /ask HTTP/${version}\r\nhost: agent\r\n${token}\r\n\r\n`);
      let text = "";
      let reset: Error | undefined;
      client.on("data", (chunk) => {
        text += chunk;
        if (text.includes("data: 1")) working?.destroy();
      });
      client.on("error", (error) => {
        reset = error;
      });
      await once(client, "close").catch(() => {});
      // Without the last chunk, HTTP/1.1 is incomplete.
      if (version === "1.1") expect(text).not.toContain("\r\n0\r\n");
      else expect(reset).toMatchObject({ code: "ECONNRESET" });
    },
  );

  test.each([
    ["of HTTP/1.0", "1.0", "", false],
    ["that asks for it", "1.1", "connection: close\r\n", false],
    ["that asks for it and reads a large answer", "1.1", "connection: close\r\n", true],
  ])(
    "the connection of a paid answer is closed, though a client %s never ends its side",
    async (_, version, header, isLarge) => {
      let closed: Promise<unknown> | undefined;
      const origin = await start(setUp(), ({ socket }, response) => {
        closed = once(socket, "close");
        response.end(isLarge ? "x".repeat(5_000_000) : "done");
      });
      const client = connect({ port: Number(new URL(origin).port), allowHalfOpen: true });
      const token = `payment-signature: ${tokenTextOf("42")}`;
      client.write(`POST /ask HTTP/${version}\r\nhost: agent\r\n${token}\r\n${header}\r\n`);
      await once(client.resume(), "end");
      await closed;
      client.destroy();
    },
  );

  test("a stream that breaks off is logged once, and one that its client leaves is not", async () => {
    const stage = setUp();
    let source = new PassThrough();
    const origin = await start(stage, (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      pipeline(source, response, () => {});
      source.write("data: 1\n\n");
    });
    const incoming = await open(origin, "/ask");
    source.destroy(new Error("upstream broke"));
    await expect(incoming.toArray()).rejects.toThrow();
    await until(() => stage.logged.length > 0);

    source = new PassThrough();
    (await open(origin, "/ask")).destroy();
    await until(() => stage.ended().length === 2);
    expect(stage.logged).toEqual([
      { message: "The work failed.", reason: "Error: upstream broke" },
    ]);
  });

  test.each<[string, GateOptions["settle"], Handler]>(
    (["after", "strict", "before"] as const).flatMap((settle) =>
      AFTER_ITS_END.map(([what, act]): [string, GateOptions["settle"], Handler] => [
        what,
        settle,
        act,
      ]),
    ),
  )(
    "work that %s once it has ended it is charged and delivered: %s",
    async (_what, settle, act) => {
      const stage = setUp({ settle });
      const origin = await start(stage, (request, response) => {
        response.end("done");
        return act(request, response);
      });
      const client = connect(Number(new URL(origin).port), "127.0.0.1").setEncoding("utf8");
      const token = `payment-signature: ${tokenTextOf("42")}`;
      client.write(`POST /ask HTTP/1.1\r\nhost: agent\r\ncontent-length: 0\r\n${token}\r\n\r\n`);
      expect((await client.toArray()).join("")).toMatch(/^HTTP\/1\.1 200 .*\r\ndone\r\n/s);
      await until(() => stage.ended().length === 1);
      expect([stage.count("settle"), stage.count("release")]).toEqual([1, 0]);
    },
  );
});

test("T19: a stream that fails inside Fastify's JSON answer costs nothing", async () => {
  const stage = setUp();
  const app = fastify();
  app.addHook("onRequest", createFastifyHook(...stage.parts));
  app.post("/ask", (_request, reply) => reply.type("application/json").send(breaking()));
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  try {
    await ask(origin, "/ask").catch(() => null);
    await until(() => stage.ended().length === 1);
    expect([stage.count("settle"), stage.count("release")]).toEqual([0, 1]);
  } finally {
    app.server.closeAllConnections();
    await app.close();
  }
});
