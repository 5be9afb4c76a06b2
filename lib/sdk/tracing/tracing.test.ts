import * as opentelemetry from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Payments } from "../client/payments.ts";
import { createGate } from "../gate/gate.ts";
import type { GateOptions } from "../gate/gate-options.ts";
import type { Work } from "../gate/http-call.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  SUBSCRIBER,
  tokenTextOf,
} from "../test-support/fake-service.ts";
import { createTracing } from "./create-tracing.ts";
import type { OtelApi, OtelSpan } from "./otel-types.ts";

const { SpanStatusCode, context, ROOT_CONTEXT, trace } = opentelemetry;
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

beforeEach(() => provider.register());
afterEach(() => {
  exporter.reset();
  opentelemetry.trace.disable();
  opentelemetry.context.disable();
  vi.unstubAllEnvs();
});

const TOKEN = tokenTextOf("42");
const answer: Work = () => Response.json({ answer: 42 });

/** Calls an agent behind a traced gate, and returns the spans by name. */
async function ask(
  {
    token = TOKEN,
    work = answer,
    handlers = {},
    ...options
  }: Omit<GateOptions, "logger"> & {
    token?: string | null;
    work?: Work;
    handlers?: ReturnType<typeof createFakeService>["handlers"];
  } = {},
  tracing: { isEnabled?: boolean } = { isEnabled: true },
) {
  const service = createFakeService();
  Object.assign(service.handlers, handlers);
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    baseUrl: "http://service.test",
    fetch: service.fetch,
    maxRetries: 0,
  });
  const gate = createGate(
    payments,
    { "POST /ask": { planId: "42", agentId: "7", credits: 2 } },
    {
      report: false,
      queue: createMemoryQueue(),
      logger: { error: () => {} },
      observe: createTracing(opentelemetry, tracing),
      ...options,
    },
  );
  const headers = new Headers(token === null ? {} : { "payment-signature": token });
  const request = new Request("http://agent.test/ask?q=private", { method: "POST", headers });
  const response = await gate(request, work).catch((error: unknown) => error);
  const spans = exporter.getFinishedSpans();
  const find = (name: string) => spans.find((span) => span.name === name) as ReadableSpan;
  return {
    status: response instanceof Response ? response.status : 500,
    names: spans.map(({ name }) => name).sort(),
    request: find("svc:x402-request"),
    verify: find("svc:verify"),
    settlement: find("svc:settlement"),
  };
}

const ALL = ["svc:settlement", "svc:verify", "svc:x402-request"];

test("a paid request is one trace: the request, with verify and settlement inside", async () => {
  const { names, request, verify, settlement } = await ask();
  expect(names).toEqual(ALL);
  expect(request.parentSpanContext).toBeUndefined();
  for (const part of [verify, settlement]) {
    expect(part.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    expect(part.spanContext().traceId).toBe(request.spanContext().traceId);
    expect(part.status.code).toBe(SpanStatusCode.UNSET);
  }
  expect(request.status.code).toBe(SpanStatusCode.UNSET);
  const [secs, nanos] = request.duration;
  expect(secs * 1000 + nanos / 1e6).toBeGreaterThan(0);
});

test("all three spans carry the metadata, with the token abbreviated", async () => {
  const { request, verify, settlement } = await ask();
  for (const { attributes } of [request, verify, settlement]) {
    expect(attributes).toMatchObject({
      "svc.plan_ids": ["42"],
      "svc.scheme": "svc:erc4337",
      "svc.network": "eip155:84532",
      "svc.payer": SUBSCRIBER,
      "svc.credits_redeemed": "2",
      "svc.balance.after": expect.stringMatching(/^\d+$/),
      "svc.payment_token": `${TOKEN.slice(0, 16)}…${TOKEN.slice(-4)}`,
      "svc.verify.duration_ms": expect.any(Number),
      "svc.settle.duration_ms": expect.any(Number),
    });
    expect(JSON.stringify(attributes)).not.toContain(TOKEN);
    expect(JSON.stringify(attributes)).not.toContain("private");
  }
});

test.each([
  ["a missing token", null, "token_missing"],
  ["a token that cannot be read", "nonsense", "invalid_token"],
  ["a token of another plan", tokenTextOf("43"), "invalid_plan"],
])("%s fails the request's span and verify's", async (_what, token, reason) => {
  const { status, names, request, verify } = await ask({ token });
  expect(status).toBe(402);
  expect(names).toEqual(["svc:verify", "svc:x402-request"]);
  expect(request.status).toEqual({ code: SpanStatusCode.ERROR, message: reason });
  expect(verify.status).toEqual({ code: SpanStatusCode.ERROR, message: reason });
});

test("a settlement that fails after a 2xx answer fails only its own span", async () => {
  const { status, request, verify, settlement } = await ask({
    handlers: { settle: () => new Response("no", { status: 500 }) },
  });
  expect(status).toBe(200);
  expect(settlement.status.code).toBe(SpanStatusCode.ERROR);
  expect(verify.status.code).toBe(SpanStatusCode.UNSET);
  expect(request.status.code).toBe(SpanStatusCode.UNSET);
});

test("work that throws fails the request's span; nothing was settled", async () => {
  const { names, request, verify } = await ask({
    work: () => {
      throw new Error("Out of order.");
    },
  });
  expect(names).toEqual(["svc:verify", "svc:x402-request"]);
  expect(request.status.code).toBe(SpanStatusCode.ERROR);
  expect(verify.status.code).toBe(SpanStatusCode.UNSET);
});

test("the agent's own trace is a sibling, not a child", async () => {
  const { request } = await ask({
    work: () => {
      expect(trace.getSpan(context.active())).toBeUndefined();
      trace.getTracer("agent").startSpan("graph", {}, context.active()).end();
      return Response.json({});
    },
  });
  const graph = exporter.getFinishedSpans().find(({ name }) => name === "graph");
  expect(graph?.parentSpanContext).toBeUndefined();
  expect(graph?.spanContext().traceId).not.toBe(request.spanContext().traceId);
});

test("a gated request inside another trace is still top-level", async () => {
  const outer = trace.getTracer("outer").startSpan("outer");
  const { request } = await context.with(trace.setSpan(ROOT_CONTEXT, outer), () => ask());
  expect(request.parentSpanContext).toBeUndefined();
});

test("tracing is off unless TURNPIKE_TRACING is true", async () => {
  for (const [value, spans] of [
    ["", 0],
    ["false", 0],
    ["true", 3],
  ] as const) {
    vi.stubEnv("TURNPIKE_TRACING", value);
    exporter.reset();
    expect((await ask({}, {})).names).toHaveLength(spans);
  }
});

test("a tracer that throws never fails a request", async () => {
  const broken: OtelApi<object, OtelSpan> = {
    trace: {
      getTracer: () => ({
        startSpan: () => {
          throw new Error("No spans today.");
        },
      }),
      setSpan: (given) => given,
    },
    ROOT_CONTEXT: {},
  };
  const { status } = await ask({ observe: createTracing(broken, { isEnabled: true }) });
  expect(status).toBe(200);
});
