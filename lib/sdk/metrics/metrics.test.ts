import * as prometheus from "prom-client";
import { expect, test } from "vitest";
import type { RequestEvent } from "../gate/observe.ts";
import { createMetrics } from "./create-metrics.ts";

const EVENT: RequestEvent = {
  type: "request",
  startedAt: 0,
  durationMs: 30,
  method: "POST",
  path: "/ask/7",
  route: "POST /ask/:id",
  planIds: ["42"],
  payer: "0xpayer",
  paymentToken: "abbreviated",
  httpStatus: 200,
  moneyStatus: "settled",
  verify: { startedAt: 0, durationMs: 4, isValid: true },
  work: { startedAt: 4, durationMs: 20 },
};

const failed = {
  success: false as const,
  errorReason: "settlement_pending",
  transaction: "" as const,
  network: "eip155:84532",
  error: "settlement_pending",
};

function createObserver() {
  const registry = new prometheus.Registry();
  return { registry, observe: createMetrics(prometheus, { registers: [registry] }) };
}

const valuesOf = async (registry: prometheus.Registry, name: string) =>
  (await registry.getSingleMetric(name)?.get())?.values;

test("requests are counted by route and outcome, and their phases timed", async () => {
  const { registry, observe } = createObserver();
  observe(EVENT);
  observe({
    ...EVENT,
    moneyStatus: "delivered-unsettled",
    reason: "settlement_pending",
    settle: { startedAt: 24, durationMs: 5, settlement: failed },
  });
  const text = await registry.metrics();
  const route = 'route="POST /ask/:id"';
  expect(text).toContain(
    `turnpike_gate_requests_total{${route},status="200",money_status="settled",reason=""} 1`,
  );
  expect(text).toContain(`turnpike_gate_verify_seconds_count{${route},outcome="valid"} 2`);
  expect(text).toContain(`turnpike_gate_verify_seconds_sum{${route},outcome="valid"} 0.008`);
  expect(text).toContain(`turnpike_gate_work_seconds_count{${route},outcome="200"} 2`);
  expect(text).toContain(`turnpike_gate_settle_seconds_count{${route},outcome="failed"} 1`);
});

test("labels contain nothing a caller sent", async () => {
  const { registry, observe } = createObserver();
  const { route: _route, ...unreadable } = EVENT;
  observe({ ...unreadable, path: "/%ff/secret" });
  const text = await registry.metrics();
  expect(text).toContain('route="unreadable"');
  for (const word of ["secret", "0xpayer", "abbreviated", "/ask/7"]) {
    expect(text).not.toContain(word);
  }
});

test("the gauge counts waiting settlements, including those of an earlier process", async () => {
  const { registry, observe } = createObserver();
  const job = (agentRequestId: string, outcome: "kept" | "repeated" | "done" | "given-up") =>
    observe({ type: "job", job: "settle", agentRequestId, outcome });
  const waiting = async () =>
    (await valuesOf(registry, "turnpike_gate_settlement_queue"))?.[0]?.value;
  job("a", "kept");
  job("b", "repeated");
  job("a", "repeated");
  expect(await waiting()).toBe(2);
  job("a", "done");
  job("unknown", "done");
  expect(await waiting()).toBe(1);
  job("b", "given-up");
  expect(await waiting()).toBe(0);
  const text = await registry.metrics();
  expect(text).toContain('turnpike_gate_settlement_jobs_total{job="settle",outcome="repeated"} 2');
});
