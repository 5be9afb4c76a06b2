import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { afterEach, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { decodeHeader } from "../../protocol/x402-headers.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import type { Payment } from "../payment.ts";
import { PaymentMiddleware } from "./hono.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function setUp() {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const app = new Hono<{ Variables: { payment: Payment } }>();
  app.use(
    PaymentMiddleware(payments, { "POST /ask": { planId: "42" }, "GET /fail": { planId: "42" } }),
  );
  app.post("/ask", async (c) => {
    c.header("cache-control", "public");
    c.header("payment-response", "forged");
    return c.json({
      payer: c.get("payment").payer,
      seen: c.req.header("payment-signature") ?? null,
      body: await c.req.json(),
    });
  });
  app.get("/fail", () => {
    throw new Error("the agent fell over");
  });
  app.get("/free", (c) => c.text("free"));
  app.onError((_error, c) => c.text("failed", 500));
  return { app, service };
}

const paid = (body?: string) => ({
  method: body === undefined ? "GET" : "POST",
  headers: { "payment-signature": tokenTextOf("42") },
  ...(body !== undefined && { body }),
});

test("a Hono app asks for payment, and answers once it is paid", async () => {
  const { app } = setUp();
  const challenge = await app.request("/ask", { method: "POST", body: "{}" });
  expect(challenge.status).toBe(402);
  const response = await app.request("/ask", paid('{"q":1}'));
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ seen: null, body: { q: 1 } });
  expect(response.headers.get("cache-control")).toBe("no-store, private");
  expect(decodeHeader(response.headers.get("payment-response") ?? "")).toMatchObject({
    success: true,
  });
});

test("an error Hono answers with 500 is not charged", async () => {
  const { app, service } = setUp();
  const response = await app.request("/fail", paid());
  expect(response.status).toBe(500);
  expect(await response.text()).toBe("failed");
  expect(service.called("settle")).toEqual([]);
  expect(service.called("release")).toHaveLength(1);
});

test("other routes are not gated", async () => {
  const { app, service } = setUp();
  const response = await app.request("/free");
  expect(await response.text()).toBe("free");
  expect(response.headers.has("vary")).toBe(false);
  expect(service.calls).toEqual([]);
});

test("the middleware works behind a real Node server, and refuses a token header sent twice", async () => {
  const { app } = setUp();
  const origin = await new Promise<string>((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    );
    closers.push(() => new Promise((done) => server.close(() => done())));
  });
  const response = await fetch(`${origin}/ask`, paid('{"q":1}'));
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ seen: null, body: { q: 1 } });

  const { request } = await import("node:http");
  const twice = await new Promise<number | undefined>((resolve, reject) => {
    const token = tokenTextOf("42");
    const sent = request(`${origin}/ask`, {
      method: "POST",
      headers: { "payment-signature": [token, token] },
    });
    sent.on("response", (answer) => resolve(answer.resume().statusCode)).on("error", reject);
    sent.end("{}");
  });
  expect(twice).toBe(402);
});
