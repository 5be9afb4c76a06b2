import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { Payments } from "../client/payments.ts";
import { createExpressMiddleware } from "../gate/adapters/express.ts";
import { createFastifyHook } from "../gate/adapters/fastify.ts";
import { PaymentMiddleware } from "../gate/adapters/hono.ts";
import { createNodeListener } from "../gate/adapters/node.ts";
import type { GateEvent } from "../gate/observe.ts";
import { canParseUrl } from "../protocol/encoding/parse-url.ts";
import { apiKeyOf, BUILDER, createFakeService } from "./fake-service.ts";

/** The existing routes, some with characters that are percent-encoded, and one that a parameter of the next ones fits, too. */
const PATHS = ["/ask", "/threads/runs", "/threads/:id/runs", "/threads/:id", "/a/b", "/a b"];
const METHODS = ["GET", "POST"] as const;
export const KEYS = METHODS.flatMap((method) => PATHS.map((path) => `${method} ${path}`));

/** A framework's router, with or without the gate: which route ran, and its status. */
export type RouteStack = {
  ask(method: string, path: string): Promise<{ ran: string | null; status: number }>;
};

/** The routes the gate has matched since the last read. */
export type Seen = { route: string | null };

type Stacks = { bare: RouteStack; gated: RouteStack; seen: Seen };

function createParts() {
  const seen: Seen = { route: null };
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const routes = Object.fromEntries(KEYS.map((key) => [key, { planId: "42" }]));
  const observe = (event: GateEvent) => {
    if (event.type === "request") seen.route = event.route ?? null;
  };
  return { seen, payments, routes, options: { report: false, observe } };
}

export function honoStacks(): Stacks {
  const { seen, payments, routes, options } = createParts();
  const build = (isGated: boolean): RouteStack => {
    let ran: string | null = null;
    const app = new Hono();
    if (isGated) app.use(PaymentMiddleware(payments, routes, options));
    for (const key of KEYS) {
      const [method = "", path = ""] = splitKey(key);
      app.on(method, path, (c) => {
        ran = key;
        return c.body(null);
      });
    }
    return {
      async ask(method, path) {
        ran = null;
        const url = `http://agent.test${path}`;
        if (!canParseUrl(url)) return { ran, status: 400 };
        const { status } = await app.fetch(new Request(url, { method }));
        return { ran, status };
      },
    };
  };
  return { bare: build(false), gated: build(true), seen };
}

export function expressStacks(): Stacks {
  const { seen, payments, routes, options } = createParts();
  const build = (isGated: boolean): RouteStack => {
    let ran: string | null = null;
    const app = express();
    if (isGated) app.use(createExpressMiddleware(payments, routes, options));
    for (const key of KEYS) {
      const [method, path = ""] = splitKey(key);
      app[method === "GET" ? "get" : "post"](path, (_request, response) => {
        ran = key;
        response.end();
      });
    }
    app.use(((_error, _request, response, _next) => {
      response.status(400).end();
    }) as express.ErrorRequestHandler);
    return nodeStack(
      app,
      () => ran,
      () => (ran = null),
    );
  };
  return { bare: build(false), gated: build(true), seen };
}

export async function fastifyStacks(): Promise<Stacks> {
  const { seen, payments, routes, options } = createParts();
  const build = async (isGated: boolean): Promise<RouteStack> => {
    let ran: string | null = null;
    const app = fastify({ exposeHeadRoutes: true });
    if (isGated) app.addHook("onRequest", createFastifyHook(payments, routes, options));
    for (const key of KEYS) {
      const [method = "", url = ""] = splitKey(key);
      app.route({
        method,
        url,
        handler: (_request, reply) => {
          ran = key;
          reply.send();
        },
      });
    }
    await app.ready();
    return nodeStack(
      app.routing,
      () => ran,
      () => (ran = null),
    );
  };
  return { bare: await build(false), gated: await build(true), seen };
}

/** A listener without a framework, which reads its target as a URL. */
export function nodeStacks(): Stacks {
  const { seen, payments, routes, options } = createParts();
  const patterns = KEYS.map((key) => {
    const [method, path = ""] = splitKey(key);
    const { pathname } = new URL(path, "http://localhost");
    return { key, method, pattern: new RegExp(`^${pathname.replace(":id", "[^/]+")}$`) };
  });
  const build = (isGated: boolean): RouteStack => {
    let ran: string | null = null;
    const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
      const target = incoming.url ?? "";
      if (canParseUrl(target, "http://localhost")) {
        const { pathname } = new URL(target, "http://localhost");
        const route = patterns.find(
          ({ method, pattern }) => method === incoming.method && pattern.test(pathname),
        );
        ran = route?.key ?? null;
      }
      outgoing.end();
    };
    return nodeStack(
      isGated ? createNodeListener(payments, routes, listener, options) : listener,
      () => ran,
      () => (ran = null),
    );
  };
  return { bare: build(false), gated: build(true), seen };
}

const splitKey = (key: string) => [key.slice(0, key.indexOf(" ")), key.slice(key.indexOf(" ") + 1)];

/** Calls a Node listener without a socket, so that a hundred thousand calls take seconds. */
function nodeStack(
  listener: (incoming: never, outgoing: never) => unknown,
  ran: () => string | null,
  reset: () => void,
): RouteStack {
  return {
    ask: (method, path) =>
      new Promise((resolve) => {
        reset();
        const incoming = new IncomingMessage(new Socket());
        Object.assign(incoming, { method, url: path, headers: { host: "agent.test" } });
        incoming.complete = true;
        incoming.push(null);
        const outgoing = new ServerResponse(incoming);
        outgoing.end = ((..._all: unknown[]) => {
          resolve({ ran: ran(), status: outgoing.statusCode });
          return outgoing;
        }) as typeof outgoing.end;
        listener(incoming as never, outgoing as never);
      }),
  };
}
