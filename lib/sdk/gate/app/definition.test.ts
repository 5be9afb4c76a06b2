import { createServer } from "node:http";
import { serve } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { afterEach, describe, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen } from "../../test-support/agents/agent.ts";
import { apiKeyOf, BUILDER, createFakeService } from "../../test-support/fake-service.ts";
import { createExpressMiddleware } from "../adapters/express.ts";
import { createFastifyHook } from "../adapters/fastify.ts";
import { PaymentMiddleware } from "../adapters/hono.ts";
import { createNodeListener } from "../adapters/node.ts";
import { createGate } from "../gate.ts";

const { fetch: reach } = createFakeService();
const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: reach });
const routes = { "POST /ask/{id}": { planId: "42", description: "Answers." } };
const OWN = { openapi: "3.1.0", info: { title: "Own", version: "2" } };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
async function open(server: Parameters<typeof listen>[0]): Promise<string> {
  const { origin, close } = await listen(server);
  closers.push(close);
  return origin;
}

/** A server with the gate, with or without its own document. */
const SERVERS: Record<string, (own: boolean) => Promise<string>> = {
  "node:http": (own) =>
    open(
      createServer(
        createNodeListener(payments, routes, (request, response) => {
          const isOwn = own && request.url === "/openapi.json";
          response.writeHead(isOwn ? 200 : 404).end(isOwn ? JSON.stringify(OWN) : "nothing");
        }),
      ),
    ),
  Express(own) {
    const app = express().use(createExpressMiddleware(payments, routes));
    if (own) app.get("/openapi.json", (_request, response) => void response.json(OWN));
    return open(createServer(app));
  },
  async Fastify(own) {
    const app = fastify();
    app.addHook("onRequest", createFastifyHook(payments, routes));
    if (own) app.get("/openapi.json", async () => OWN);
    closers.push(() => app.close());
    return app.listen({ port: 0, host: "127.0.0.1" });
  },
  Hono(own) {
    const app = new Hono().use(PaymentMiddleware(payments, routes));
    if (own) app.get("/openapi.json", (c) => c.json(OWN));
    return new Promise((resolve) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
        resolve(`http://127.0.0.1:${port}`),
      );
      closers.push(() => new Promise((done) => server.close(done)));
    });
  },
};

describe.each(Object.entries(SERVERS))("behind %s", (_name, start) => {
  test("the gated routes are described at /openapi.json", async () => {
    const origin = await start(false);
    const answer = await fetch(`${origin}/openapi.json`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await answer.json()).toMatchObject({
      openapi: "3.1.0",
      servers: [{ url: origin }],
      paths: { "/ask/{id}": { post: { responses: { 402: {} } } } },
    });
    expect((await fetch(`${origin}/other.json`)).status).toBe(404);
    expect((await fetch(`${origin}/openapi.json`, { method: "POST" })).status).toBe(404);
  });

  test("a document of the app's own stays as it is", async () => {
    const origin = await start(true);
    expect(await (await fetch(`${origin}/openapi.json`)).json()).toEqual(OWN);
  });
});

test("gates around one another describe the routes of all of them", async () => {
  const gate = (keys: string[]) =>
    createExpressMiddleware(
      payments,
      Object.fromEntries(keys.map((key) => [key, { planId: "42" }])),
    );
  const app = express().use(gate(["POST /a", "GET /both"]), gate(["POST /b", "POST /both"]));
  const origin = await open(createServer(app));
  const { paths } = await (await fetch(`${origin}/openapi.json`)).json();
  const described = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.keys(methods as object).sort(),
  ]);
  expect(Object.fromEntries(described)).toEqual({
    "/a": ["post"],
    "/b": ["post"],
    "/both": ["get", "post"],
  });

  app.get("/openapi.json", (_request, response) => void response.json(OWN));
  expect(await (await fetch(`${origin}/openapi.json`)).json()).toEqual(OWN);
});

test("the public URL is described without the slash at its end", async () => {
  const gate = createGate(payments, routes, { publicUrl: "https://agent.example/api/" });
  const request = new Request("http://localhost/openapi.json");
  const answer = await gate(request, async () => new Response(null, { status: 404 }));
  expect((await answer.json()).servers).toEqual([{ url: "https://agent.example/api" }]);
});

test("a gate alone describes its routes where its work finds nothing", async () => {
  const gate = createGate(payments, routes);
  const request = new Request("https://agent.example/openapi.json");
  const nothing = async () => new Response(null, { status: 404 });
  expect(await (await gate(request, nothing)).json()).toMatchObject({
    servers: [{ url: "https://agent.example" }],
  });
  expect(await (await gate(request, async () => Response.json(OWN))).json()).toEqual(OWN);
});
