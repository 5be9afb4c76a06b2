import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { createGate, createMemoryQueue } from "@turnpike/payments";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import type { Log } from "@/lib/domain/ports.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { readEnv } from "../env.ts";
import { createApi } from "../http/api.ts";
import { createPipeline } from "../pipeline/perform.ts";
import { servedOperations } from "../pipeline/served-operations.ts";
import { requirementOf } from "../testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  TEST_ORIGIN,
  type TestMarket,
  type TestService,
} from "../testing/test-service.ts";
import { gaugesOf } from "./gauges.ts";
import { createServiceMetrics, serveMetrics } from "./metrics.ts";
import { joinObservers, type OperationObserver } from "./observe-operation.ts";
import { startTracing } from "./tracing.ts";
import { openWatch } from "./watch.ts";

let database: Database;
let service: TestService;
let market: TestMarket;
const warn = vi.fn();
const log: Log = { info: () => {}, warn, error: () => {} };

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
  market = await createMarket(service);
});
afterAll(() => database.close());

/** The service's API with an observer, asked as the market's builder. */
function createAsker(observe: OperationObserver | undefined) {
  const health = async () => ({
    ok: true,
    environment: "sandbox" as const,
    version: "test",
    status: "ok" as const,
    checks: {},
  });
  const { ports } = service;
  const pipeline = createPipeline({ ports, operations: servedOperations, observe });
  const api = createApi({ ports, pipeline, origin: TEST_ORIGIN, health });
  return async (path: "verify" | "settle", token = market.token) => {
    const answer = await api.request(`/api/v1/x402/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${market.builder.apiKey}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ paymentRequired: requirementOf(market), x402AccessToken: token }),
    });
    return { status: answer.status, body: await answer.json() };
  };
}

test("the service's own verify and settle are spans with the specification's keys", async () => {
  const exporter = new InMemorySpanExporter();
  const tracing = startTracing({ processor: new SimpleSpanProcessor(exporter) });
  const ask = createAsker(tracing.observeOperation);
  expect((await ask("verify")).body).toMatchObject({ isValid: true });
  expect((await ask("settle")).body).toMatchObject({ success: true });
  expect((await ask("verify", "nonsense")).body).toMatchObject({ isValid: false });
  const [verify, settlement, refused] = exporter.getFinishedSpans();
  expect(verify).toMatchObject({
    name: "svc:verify",
    status: { code: 0 },
    attributes: {
      "svc.plan_ids": [market.planId],
      "svc.payer": market.subscriber.address,
      "svc.payment_token": `${market.token.slice(0, 16)}…${market.token.slice(-4)}`,
      "svc.verify.duration_ms": expect.any(Number),
    },
  });
  expect(settlement).toMatchObject({
    name: "svc:settlement",
    attributes: { "svc.credits_redeemed": "1", "svc.settle.duration_ms": expect.any(Number) },
  });
  expect(refused).toMatchObject({ status: { code: 2, message: "invalid_token" } });
  await tracing.stop();
});

test("an agent's gate in this process is traced too", async () => {
  const exporter = new InMemorySpanExporter();
  const tracing = startTracing({ processor: new SimpleSpanProcessor(exporter) });
  const { planId, agentId, builder } = market;
  const options = { observe: tracing.observeGate, report: false, queue: createMemoryQueue() };
  const gate = createGate(builder.payments, { "POST /ask": { planId, agentId } }, options);
  const headers = { "payment-signature": market.token };
  const request = new Request("https://agent.example/ask", { method: "POST", headers });
  expect((await gate(request, () => new Response("42"))).status).toBe(200);
  const names = exporter.getFinishedSpans().map(({ name }) => name);
  expect(names.sort()).toEqual(["svc:settlement", "svc:verify", "svc:x402-request"]);
  await tracing.stop();
});

longTest(
  "a collector that is away, and an observer that throws, never touch a request",
  async () => {
    const tracing = startTracing({ endpoint: "http://127.0.0.1:9" });
    const throwing = () => {
      throw new Error("No spans today.");
    };
    const ask = createAsker(joinObservers("operations", [throwing, tracing.observeOperation], log));
    expect(await ask("verify")).toMatchObject({ status: 200, body: { isValid: true } });
    expect(warn).toHaveBeenCalledWith(expect.anything(), "an observer of operations failed");
    const start = performance.now();
    await tracing.stop();
    expect(performance.now() - start).toBeLessThan(4_000);
  },
);

test("spans reach a collector at the given address", async () => {
  const paths: string[] = [];
  const collector = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    request.resume().on("end", () => response.end("{}"));
  });
  await new Promise<void>((done) => collector.listen(0, "127.0.0.1", done));
  const { port } = collector.address() as { port: number };
  const tracing = startTracing({ endpoint: `http://127.0.0.1:${port}` });
  await createAsker(tracing.observeOperation)("verify");
  await tracing.stop();
  expect(paths).toEqual(["POST /v1/traces"]);
  collector.closeAllConnections();
  await new Promise((done) => collector.close(done));
});

test("operations are counted by outcome and timed, and what waits is asked when it is read", async () => {
  let stuck = 0;
  const metrics = createServiceMetrics({ stuck_orders: () => stuck });
  const ask = createAsker(metrics.observeOperation);
  await ask("verify");
  await ask("verify", "nonsense");
  await ask("settle");
  stuck = 3;
  const text = await metrics.read();
  expect(text).toContain('turnpike_operations_total{operation="verifyPermissions",outcome="ok"} 1');
  expect(text).toContain(
    'turnpike_operations_total{operation="verifyPermissions",outcome="refused"} 1',
  );
  expect(text).toContain('turnpike_operation_seconds_count{operation="settlePermissions"} 1');
  expect(text).toContain("turnpike_stuck_orders 3");
  expect(text).toContain("turnpike_gate_settlement_queue");
  expect(text).not.toContain(market.subscriber.address);
});

test("the gauges of a service are in the documentation, and one that is not known yet is no alarm", async () => {
  const gauges = gaugesOf(
    { salesStop: () => "stopped" },
    { settlerOrdersLeft: () => NaN },
    { stuckOrders: 2, refusedMails: 3 },
  );
  const text = await createServiceMetrics(gauges).read();
  expect(text).toContain("turnpike_stuck_orders 2");
  expect(text).toContain("turnpike_refused_mails 3");
  expect(text).toContain("turnpike_sales_stopped 1");
  expect(text).toMatch(/turnpike_settler_orders_left nan/i);
  const documented = readFileSync("docs/operations.md", "utf8");
  for (const name of Object.keys(gauges)) expect(documented).toContain(`| \`turnpike_${name}\` |`);
});

test("the metrics have a door of their own, on this machine alone unless told otherwise", async () => {
  const settings = readEnv({ METRICS_PORT: "0" });
  expect(settings.metrics).toEqual({ port: 0, host: "127.0.0.1" });
  const { origin, close } = await serveMetrics(createServiceMetrics(), {
    port: 0,
    host: "127.0.0.1",
  });
  const answer = await fetch(`${origin}/metrics`);
  expect(answer.headers.get("content-type")).toContain("text/plain");
  expect(await answer.text()).toContain("process_cpu_seconds_total");
  expect((await fetch(`${origin}/`)).status).toBe(404);
  const { port } = new URL(origin);
  await expect(
    serveMetrics(createServiceMetrics(), { port: Number(port), host: "127.0.0.1" }),
  ).rejects.toThrow(/METRICS_PORT/);
  await close();
});

test("nothing is watched unless it is asked for", async () => {
  const off = await openWatch(readEnv({}), { log, waiting: {} });
  expect(off.observe).toBeUndefined();
  expect(off.observeGate).toBeUndefined();
  const on = await openWatch(readEnv({ METRICS_PORT: "0", TURNPIKE_TRACING: "true" }), {
    log,
    waiting: {},
  });
  expect(on.observe).toBeDefined();
  expect(on.observeGate).toBeDefined();
  await on.close();
});
