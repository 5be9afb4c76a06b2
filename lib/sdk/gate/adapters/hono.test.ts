import { serve } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
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

function setUp({ before }: { before?: MiddlewareHandler } = {}) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const app = new Hono<{ Variables: { payment: Payment } }>();
  if (before) app.use(before);
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

/** The app behind a real Node server. */
function listen(app: Pick<Hono, "fetch">) {
  return new Promise<{ origin: string; close: () => Promise<void> }>((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve({
        origin: `http://127.0.0.1:${port}`,
        close: () => new Promise((done) => server.close(() => done())),
      }),
    );
  });
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
  const { origin, close } = await listen(app);
  closers.push(close);
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

test.each(["text", "json", "arrayBuffer"] as const)(
  "a body that middleware read before the gate with %s() is one of a request with an id",
  async (way) => {
    const before: MiddlewareHandler = async (c, next) => {
      await c.req[way]();
      await next();
    };
    const { app } = setUp({ before });
    const { origin, close } = await listen(app);
    closers.push(close);
    const sent = paid('{"q":1}');
    const headers = { ...sent.headers, "idempotency-key": "asked-once" };
    const [first, again] = [
      await fetch(`${origin}/ask`, { ...sent, headers }),
      await fetch(`${origin}/ask`, { ...sent, headers }),
    ];
    expect([first.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect(await again.json()).toMatchObject({ body: { q: 1 } });
    const other = await fetch(`${origin}/ask`, { ...sent, headers, body: '{"q":2}' });
    expect(other.status).toBe(409);
  },
);
