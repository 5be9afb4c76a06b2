import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { serve } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { afterEach, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen } from "../../test-support/agents/agent.ts";
import { ask } from "../../test-support/agents/ask.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  refusedSettlement,
} from "../../test-support/fake-service.ts";
import type { GateOptions } from "../gate-options.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createExpressMiddleware } from "./express.ts";
import { createFastifyHook } from "./fastify.ts";
import { PaymentMiddleware } from "./hono.ts";

const ORIGIN = "https://page.example";
const ROUTES = { "POST /ask": { planId: "42" } };
/** What would have a CDN or nginx keep an answer, whatever its `cache-control` says. */
const CACHED = {
  "cache-control": "public, max-age=300",
  "cdn-cache-control": "public, max-age=300",
  "surrogate-control": "max-age=300",
  "x-accel-expires": "300",
  expires: "Fri, 01 Jan 2100 00:00:00 GMT",
};
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Stack = (payments: Payments, options: GateOptions) => Promise<string>;

/** Each sets the headers of CORS before the gate; the work adds another one and takes one away. */
const STACKS: [name: string, stack: Stack][] = [
  [
    "Express",
    async (payments, options) => {
      const app = express();
      app.use((_request, response, next) => {
        response.setHeader("access-control-allow-origin", ORIGIN).setHeader("vary", "Origin");
        response.setHeader("x-taken-away", "1").set(CACHED);
        next();
      });
      app.use(createExpressMiddleware(payments, ROUTES, options));
      app.post("/ask", (_request, response) => {
        response.removeHeader("x-taken-away");
        response.setHeader("x-work", "1").json({ answer: 42 });
      });
      return serveNode(app);
    },
  ],
  [
    "Hono",
    async (payments, options) => {
      const app = new Hono();
      app.use(cors({ origin: ORIGIN }));
      app.use(async (c, next) => {
        for (const [name, value] of Object.entries({ ...CACHED, "x-taken-away": "1" })) {
          c.header(name, value);
        }
        await next();
      });
      app.use(PaymentMiddleware(payments, ROUTES, options));
      app.post("/ask", (c) => {
        c.header("x-taken-away", undefined);
        return c.json({ answer: 42 }, 200, { "x-work": "1" });
      });
      return new Promise((resolve) => {
        const server = serve({ fetch: app.fetch, port: 0 }, ({ port }) =>
          resolve(`http://localhost:${port}`),
        );
        closers.push(() => server.close());
      });
    },
  ],
  [
    "Fastify",
    async (payments, options) => {
      const app = fastify();
      app.addHook("onRequest", async (_request, reply) => {
        reply.headers({
          ...CACHED,
          "access-control-allow-origin": ORIGIN,
          vary: "Origin",
          "x-taken-away": "1",
        });
      });
      app.addHook("onRequest", createFastifyHook(payments, ROUTES, options));
      app.post("/ask", async (_request, reply) => {
        reply.removeHeader("x-taken-away");
        return reply.header("x-work", "1").send({ answer: 42 });
      });
      closers.push(() => app.close());
      return app.listen({ port: 0 });
    },
  ],
];

async function serveNode(app: (request: IncomingMessage, response: ServerResponse) => void) {
  const agent = await listen(createServer(app));
  closers.push(agent.close);
  return agent.origin;
}

test.each(STACKS)(
  "%s: what was set before the gate is on every answer of the gate",
  async (_, stack) => {
    const service = createFakeService();
    const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
    const options = { queue: createMemoryQueue(), report: false, settle: "strict" } as const;
    const origin = await stack(payments, options);
    const seen = ({ status, headers }: Awaited<ReturnType<typeof ask>>) => {
      const cached = Object.keys(CACHED).map((name) => headers[name]);
      expect(cached.filter(Boolean)).toEqual(["no-store, private"]);
      return [
        status,
        ...["access-control-allow-origin", "x-work", "x-taken-away"].map((name) => headers[name]),
      ];
    };
    const headers = { origin: ORIGIN };
    const challenge = await ask(origin, "/ask", { token: null, headers });
    expect(seen(challenge)).toEqual([402, ORIGIN, undefined, "1"]);
    expect(`${challenge.headers.vary}`.toLowerCase()).toContain("payment-signature");
    expect(seen(await ask(origin, "/ask", { headers }))).toEqual([200, ORIGIN, "1", undefined]);
    service.handlers.settle = () => refusedSettlement();
    const withheld = await ask(origin, "/ask", { headers });
    expect(seen(withheld).slice(0, 3)).toEqual([402, ORIGIN, undefined]);
  },
);
