import { createRequestStoreForAPI } from "next/dist/server/async-storage/request-store.js";
import { NextRequest } from "next/server.js";
import { expect, test, vi } from "vitest";
import { Payments } from "../../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createNextHandler } from "./next.ts";

test("a handler that no route key matches runs without payment, and the log says so once for each method", async () => {
  const error = vi.fn();
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const handle = createNextHandler(
    payments,
    { "POST /base/ask": { planId: "42" } },
    async () => new Response("done"),
    { logger: { error }, report: false },
  );
  const calls = ["OPTIONS /ask", "GET /openapi.json", "POST /ask", "POST /ask", "POST /other"];
  for (const call of calls) {
    const [method, path] = call.split(" ");
    const request = new Request(`http://agent.test${path}`, { method });
    expect(await (await handle(request, {})).text()).toBe("done");
  }
  const message = "A handler ran without payment: no route key matches.";
  expect(error.mock.calls).toEqual([
    [message, expect.objectContaining({ method: "GET", path: "/openapi.json" })],
    [message, { method: "POST", path: "/ask", reason: expect.stringContaining("`basePath`") }],
  ]);
  const paid = new Request("http://agent.test/base/ask", { method: "POST" });
  expect((await handle(paid, {})).status).toBe(402);
});

test("each handler that runs without payment is logged, also under one logger", async () => {
  const logger = { error: vi.fn() };
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    fetch: createFakeService().fetch,
  });
  for (const path of ["/one", "/two"]) {
    const routes = { [`POST /base${path}`]: { planId: "42" } };
    const options = { logger, report: false };
    const handle = createNextHandler(payments, routes, async () => new Response(), options);
    await handle(new Request(`http://agent.test${path}`, { method: "POST" }), {});
  }
  expect(logger.error.mock.calls.map(([, { path }]) => path)).toEqual(["/one", "/two"]);
});

/** A call that is charged before its handler throws this. */
function throwPaid(thrown: Error) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const logger = { error: vi.fn() };
  const handle = createNextHandler(
    payments,
    { "POST /ask": { planId: "42" } },
    () => {
      throw thrown;
    },
    { settle: "before", queue: createMemoryQueue(), report: false, logger },
  );
  const headers = { "payment-signature": tokenTextOf("42") };
  const paid = new Request("http://agent.test/ask", { method: "POST", headers });
  return { answer: handle(paid, {}), logger };
}

test("the answer to `redirect()` in a paid handler has the receipt", async () => {
  const digest = "NEXT_REDIRECT;replace;/to;307;";
  const answer = await throwPaid(Object.assign(new Error("NEXT_REDIRECT"), { digest })).answer;
  expect([answer.status, answer.headers.get("location")]).toEqual([307, "/to"]);
  expect(answer.headers.get("payment-response")).not.toBeNull();
});

test("the log says where a paid handler threw", async () => {
  const { answer, logger } = throwPaid(new Error("Out of order."));
  expect((await answer).status).toBe(500);
  const reason = expect.stringMatching(/Out of order\.\n +at .*next\.test\.ts/);
  expect(logger.error.mock.calls).toEqual([
    ["The work failed.", expect.objectContaining({ reason })],
  ]);
});

test("the token is hidden from `headers()` of Next, which reads those of the route's own request", async () => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const headers = { "payment-signature": tokenTextOf("42"), "x-own": "1" };
  const paid = new NextRequest("http://agent.test/ask", { method: "POST", headers });
  const seen = createRequestStoreForAPI(
    paid,
    paid.nextUrl,
    {} as never,
    undefined,
    {} as never,
    undefined,
  );
  const handle = createNextHandler(
    payments,
    { "POST /ask": { planId: "42" } },
    () => Response.json([...seen.headers.keys()]),
    { queue: createMemoryQueue(), report: false },
  );
  const answer = await handle(paid, {});
  expect([answer.status, await answer.json()]).toEqual([200, ["x-own"]]);
});

test.each([
  ["nothing", undefined],
  ["an object", { answer: 42 }],
])("a handler that returns %s is told so, and its call costs nothing", async (_, returned) => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const handler = async () => returned as unknown as Response;
  const routes = { "POST /ask": { planId: "42" } };
  const handle = createNextHandler(payments, routes, handler, { report: false });
  const headers = { "payment-signature": tokenTextOf("42") };
  const request = new Request("http://agent.test/ask", { method: "POST", headers });
  await expect(handle(request, {})).rejects.toThrow("returned no response");
  expect([service.called("settle").length, service.called("release").length]).toEqual([0, 1]);
});
