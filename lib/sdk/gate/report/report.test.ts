import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Payments } from "../../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  refusal,
  refusedSettlement,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import type { RequestEvent } from "../observe.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { serviceOf } from "../service.ts";
import { createReporter } from "./report.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp(options: GateOptions = {}) {
  const service = createFakeService();
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    fetch: service.fetch,
    maxRetries: 0,
  });
  const logger = { error: () => {} };
  const gate = createGate(
    payments,
    { "POST /ask": { planId: "42", agentId: "7" } },
    { logger, queue: createMemoryQueue(), ...options },
  );
  const ask = (token?: string, work = () => new Response("hello")) =>
    gate(
      new Request("http://agent.test/ask?secret=1", {
        method: "POST",
        headers: token ? { "payment-signature": token } : {},
      }),
      work,
    );
  return { service, payments, ask };
}

type Reported = Record<string, unknown>;
const reportedTo = (service: ReturnType<typeof createFakeService>) =>
  service.called("report").flatMap(({ body }) => body.requests as Reported[]);
const eventOf = (agentRequestId: string): RequestEvent => ({
  type: "request",
  startedAt: 0,
  durationMs: 1,
  method: "POST",
  path: "/ask",
  route: "POST /ask",
  planIds: ["42"],
  agentRequestId,
  httpStatus: 200,
  moneyStatus: "settled",
});

test("challenges, refusals, failed work, settlements and failed settlements are reported in one batch", async () => {
  const { service, ask } = setUp();
  const token = tokenTextOf("42", "7");
  await ask();
  await ask(tokenTextOf("99"));
  await ask(token, () => new Response("no", { status: 500 }));
  await ask(token);
  service.handlers.settle = () => refusedSettlement();
  await ask(token);
  expect(service.called("report")).toEqual([]);
  await vi.advanceTimersByTimeAsync(1100);
  expect(service.called("report")).toHaveLength(1);
  expect(reportedTo(service)).toMatchObject([
    { moneyStatus: "challenged", httpStatus: 402, reason: "token_missing", planId: "42" },
    { moneyStatus: "refused", httpStatus: 402, reason: "invalid_plan" },
    { moneyStatus: "not-charged", httpStatus: 500, reason: "status_500" },
    { moneyStatus: "settled", httpStatus: 200 },
    { moneyStatus: "delivered-unsettled", httpStatus: 200, reason: "insufficient_balance" },
  ]);
  const [, , , settled] = reportedTo(service);
  expect(settled).toMatchObject({ method: "POST", path: "/ask", agentId: "7" });
  for (const name of ["verifyMs", "workMs", "settleMs"])
    expect(settled?.[name]).toBeTypeOf("number");
  expect(settled?.agentRequestId).toBe(service.called("settle")[0]?.body.agentRequestId);
  expect(JSON.stringify(reportedTo(service))).not.toMatch(/secret|payment_?token/i);
});

test("requests that come faster than one batch a second are all reported", async () => {
  const reports: { requests: unknown[] }[] = [];
  const observe = createReporter(async (report) => reports.push(report));
  for (let tick = 0; tick < 50; tick++) {
    for (let call = 0; call < 100; call++)
      observe(eventOf(`req_aaaaaaaaaaaaa${tick * 100 + call}`));
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.advanceTimersByTimeAsync(1000);
  const all = reports.flatMap(({ requests }) => requests);
  expect([all.length, new Set(all.map((each) => JSON.stringify(each))).size]).toEqual([5000, 5000]);
  expect(Math.max(...reports.map(({ requests }) => requests.length))).toBe(200);
});

test("of settled calls a thousand a second are reported, and of all others each", async () => {
  const reports: { requests: { moneyStatus: string }[] }[] = [];
  const observe = createReporter(async (report) => reports.push(report));
  vi.setSystemTime(Math.ceil(Date.now() / 1000) * 1000);
  for (let tick = 0; tick < 20; tick++) {
    for (let call = 0; call < 400; call++) {
      const event = eventOf(`req_aaaaaaaaaaaaa${tick * 400 + call}`);
      observe(call % 100 === 0 ? { ...event, moneyStatus: "challenged" } : event);
    }
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.advanceTimersByTimeAsync(2000);
  const all = reports.flatMap(({ requests }) => requests.map(({ moneyStatus }) => moneyStatus));
  expect(all.filter((each) => each === "settled")).toHaveLength(2000);
  expect(all.filter((each) => each === "challenged")).toHaveLength(80);
});

test("every paid call that failed is reported: its refund is decided by the report", async () => {
  const reports: { requests: { httpStatus: number }[] }[] = [];
  const observe = createReporter(async (report) => reports.push(report));
  for (let call = 0; call < 1100; call++) {
    const event = eventOf(`req_aaaaaaaaaaaaa${call}`);
    observe(call === 1099 ? { ...event, httpStatus: 500 } : event);
  }
  await vi.advanceTimersByTimeAsync(10_000);
  const statuses = reports.flatMap(({ requests }) => requests.map(({ httpStatus }) => httpStatus));
  expect(statuses.filter((status) => status === 500)).toHaveLength(1);
});

test("`report: false` reports nothing", async () => {
  const { service, ask } = setUp({ report: false });
  await ask();
  await vi.advanceTimersByTimeAsync(5000);
  expect(service.called("report")).toEqual([]);
});

test.each([
  ["fails", () => refusal(503, "unavailable")],
  ["gives an answer that can't be read", () => new Response("<html>")],
])("a service that %s is sent the same batch again under its id", async (_what, fail) => {
  const { service, payments } = setUp();
  const observe = createReporter(payments.requests.reportRequests);
  service.handlers.report = fail;
  observe(eventOf("req_aaaaaaaaaaaaaaaa1"));
  await vi.advanceTimersByTimeAsync(1100);
  observe(eventOf("req_aaaaaaaaaaaaaaaa2"));
  service.handlers.report = () => ({ accepted: 2 });
  await vi.advanceTimersByTimeAsync(10_000);
  const [first, ...later] = service.called("report").map(({ body }) => body);
  expect(later[0]).toEqual(first);
  expect(new Set(later.map(({ batchId }) => batchId)).size).toBe(2);
  const told = later.flatMap(({ requests }) => requests as Reported[]);
  expect(told.map(({ agentRequestId }) => agentRequestId)).toEqual([
    "req_aaaaaaaaaaaaaaaa1",
    "req_aaaaaaaaaaaaaaaa2",
  ]);
});

test("waiting reports are bounded: the oldest are dropped first", async () => {
  const { service, payments } = setUp();
  const observe = createReporter(payments.requests.reportRequests, { maxWaiting: 3 });
  for (let index = 0; index < 10; index++) observe(eventOf(`req_aaaaaaaaaaaaaaaa${index}`));
  await vi.advanceTimersByTimeAsync(1100);
  expect(reportedTo(service).map(({ agentRequestId }) => agentRequestId)).toEqual([
    "req_aaaaaaaaaaaaaaaa7",
    "req_aaaaaaaaaaaaaaaa8",
    "req_aaaaaaaaaaaaaaaa9",
  ]);
});

test("a service without reports is asked once", async () => {
  const { service, payments } = setUp();
  const observe = createReporter(payments.requests.reportRequests);
  service.handlers.report = () => refusal(404, "not_found");
  observe(eventOf("req_aaaaaaaaaaaaaaaa1"));
  await vi.advanceTimersByTimeAsync(1100);
  observe(eventOf("req_aaaaaaaaaaaaaaaa2"));
  await vi.advanceTimersByTimeAsync(100_000);
  expect(service.called("report")).toHaveLength(1);
});

test("a request that the service can't take leaves the others of its batch reported", async () => {
  const { service, payments } = setUp();
  const observe = createReporter(serviceOf(payments).report);
  const ids = Array.from({ length: 5 }, (_, index) => `req_of_the_batch_${index}`);
  const events = ids.map(eventOf);
  // As Node's servers may answer, and as a route may name its agent.
  const wrong = { 1: { httpStatus: 700 }, 3: { agentId: "no agent's id" } };
  for (const [index, change] of Object.entries(wrong)) Object.assign(events[+index] ?? {}, change);
  for (const event of events) observe(event);
  await vi.advanceTimersByTimeAsync(1100);
  expect(reportedTo(service).map(({ agentRequestId }) => agentRequestId)).toEqual([
    ids[0],
    ids[2],
    ids[4],
  ]);
  observe({ ...eventOf("req_of_the_next_0"), httpStatus: 700 });
  await vi.advanceTimersByTimeAsync(1100);
  observe(eventOf("req_of_the_next_1"));
  await vi.advanceTimersByTimeAsync(5000);
  expect(reportedTo(service).at(-1)).toMatchObject({ agentRequestId: "req_of_the_next_1" });
  expect(service.called("report")).toHaveLength(2);
});
