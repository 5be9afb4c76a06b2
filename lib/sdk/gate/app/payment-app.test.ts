import { Hono } from "hono";
import { expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  planOf,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import type { RouteMap } from "../routes.ts";
import { buildPaymentApp, type PaymentAppOptions } from "./payment-app.ts";

function setUp(routes?: RouteMap, given: PaymentAppOptions = {}) {
  const service = createFakeService([planOf("42"), planOf("43")]);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const logger = { error: () => {} };
  const options = { report: false, logger, title: "Oracle", ...given };
  const app = buildPaymentApp(payments, routes, options);
  return { service, app };
}

const PRICED: RouteMap = {
  "POST /runs/wait": {
    planId: "42",
    credits: 2,
    description: "Runs to its end",
    mimeType: "application/json",
  },
  "POST /threads/{thread_id}/runs/wait": { planId: ["42", "43"], agentId: "7", credits: () => 3 },
};
const paid = { method: "POST", headers: { "payment-signature": tokenTextOf("42") } };

test("without routes nothing is gated", async () => {
  const { app, service } = setUp();
  app.post("/ask", () => new Response("hello"));
  expect(await (await app.request("/ask", { method: "POST" })).text()).toBe("hello");
  expect(service.calls).toEqual([]);
});

test("its routes get their parameters and payment, and it answers 404 and 500", async () => {
  const { app } = setUp(PRICED);
  app.post("/threads/:id/runs/wait", (_request, { params, payment }) =>
    Response.json({ ...params, planId: payment?.planId }),
  );
  app.get("/broken", () => {
    throw new Error("secret");
  });
  const response = await app.request("/threads/t%201/runs/wait", paid);
  expect(await response.json()).toEqual({ id: "t 1", planId: "42" });
  expect((await app.request("/nowhere")).status).toBe(404);
  const broken = await app.request("/broken");
  expect([broken.status, (await broken.text()).includes("secret")]).toEqual([500, false]);
});

test("a paid request whose handler throws is answered under its id", async () => {
  const { app, service } = setUp(PRICED);
  app.post("/runs/wait", () => {
    throw new Error("secret");
  });
  const response = await app.request("/runs/wait", paid);
  expect([response.status, (await response.text()).includes("secret")]).toEqual([500, false]);
  const [verify] = service.called("verify");
  expect(response.headers.get("payment-request-id")).toBe(verify?.body.agentRequestId);
  expect([service.called("settle").length, service.called("release").length]).toEqual([0, 1]);
});

test("an invalid route is rejected", () => {
  const { app } = setUp();
  expect(() => app.get("ask", () => new Response())).toThrow("GET ask is not a route");
});

test("its description names the public URL without the slash at its end", async () => {
  const { app } = setUp({}, { publicUrl: "https://agent.example/api/" });
  const document = await (await app.request("/openapi.json")).json();
  expect(document.servers).toEqual([{ url: "https://agent.example/api" }]);
});

test("its description says what each route costs and how it is paid", async () => {
  const { app } = setUp(PRICED);
  app.post("/runs/wait", () => new Response("done"));
  app.get("/about/:topic", () => new Response("free"));
  const document = await (await app.request("http://agent.test/openapi.json")).json();
  expect(document).toMatchObject({
    openapi: "3.1.0",
    info: { title: "Oracle" },
    servers: [{ url: "http://agent.test" }],
    components: { securitySchemes: { payment: { in: "header", name: "payment-signature" } } },
  });
  expect(Object.keys(document.paths).sort()).toEqual([
    "/about/{topic}",
    "/openapi.json",
    "/runs/wait",
    "/threads/{thread_id}/runs/wait",
  ]);
  expect(document.paths["/runs/wait"].post).toMatchObject({
    description: "Runs to its end",
    security: [{ payment: [] }],
    "x-payment": { planIds: ["42"], credits: "2" },
    "x-payment-info": {
      price: { mode: "fixed", currency: "credits", amount: "2" },
      protocols: [{ x402: {} }],
    },
    responses: { 200: { content: { "application/json": {} } }, 402: {} },
  });
  expect(document.paths["/threads/{thread_id}/runs/wait"].post).toMatchObject({
    parameters: [{ name: "thread_id", in: "path", required: true }],
    "x-payment": { planIds: ["42", "43"], credits: "by request", agentId: "7" },
  });
  expect(document.paths["/about/{topic}"].get.security).toBeUndefined();
});

test("mounted in a Hono app it guards the routes after it, and keeps its own", async () => {
  const { app, service } = setUp(PRICED);
  app.get("/about", () => new Response("about"));
  const deployment = new Hono();
  deployment.route("/", app as never);
  deployment.post("/runs/wait", (c) => c.text("ran"));
  deployment.post("/runs/stream", (c) => c.text("free"));
  expect((await deployment.request("/runs/wait", { method: "POST" })).status).toBe(402);
  const response = await deployment.request("/runs/wait", paid);
  expect(await response.text()).toBe("ran");
  expect(response.headers.get("payment-response")).not.toBeNull();
  expect(service.called("settle")).toHaveLength(1);
  expect(await (await deployment.request("/runs/stream", { method: "POST" })).text()).toBe("free");
  expect(await (await deployment.request("/about")).text()).toBe("about");
  expect((await (await deployment.request("/openapi.json")).json()).info.title).toBe("Oracle");
});
