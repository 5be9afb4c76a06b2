import { serve } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { setCookie } from "hono/cookie";
import { afterEach, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { PaymentMiddleware } from "./hono.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Around = { before?: MiddlewareHandler; inside?: MiddlewareHandler };

/** Calls gated work on a Node server, between middleware before the gate and behind it. */
async function ask(work: (c: Context) => Response, { before, inside }: Around = {}) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const app = new Hono();
  if (before) app.use(before);
  app.use(PaymentMiddleware(payments, { "POST /ask": { planId: "42" } }));
  if (inside) app.use(inside);
  app.post("/ask", work);
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((listening) => server.once("listening", listening));
  closers.push(() => new Promise((done) => server.close(() => done())));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : address;
  const answer = await fetch(`http://127.0.0.1:${port}/ask`, {
    method: "POST",
    headers: { "payment-signature": tokenTextOf("42") },
    body: "a question",
  });
  await answer.text();
  return { answer, charges: service.called("settle").length };
}

test("a text without a stated type is charged as the text/plain that it is sent as", async () => {
  const { answer, charges } = await ask((c) => {
    c.header("x-own", "1");
    return c.body(JSON.stringify({ __error__: "quoted from elsewhere" }));
  });
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(charges).toBe(1);
});

test("a cookie of middleware before the gate that the work removed stays removed", async () => {
  const { answer } = await ask((c) => c.text("bye"), {
    before: async (c, next) => {
      setCookie(c, "session", "1");
      await next();
    },
    inside: async (c, next) => {
      await next();
      c.res.headers.delete("set-cookie");
    },
  });
  expect(answer.headers.getSetCookie()).toEqual([]);
});

test("headers and cookies that the work sets on its context come with a Response of the work's own", async () => {
  const { answer } = await ask((c) => {
    c.header("x-own", "1");
    setCookie(c, "session", "1");
    return new Response("hi");
  });
  expect(answer.headers.get("x-own")).toBe("1");
  expect(answer.headers.getSetCookie()).toHaveLength(1);
});
