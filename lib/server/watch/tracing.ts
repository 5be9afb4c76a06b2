import { context, ROOT_CONTEXT, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { abbreviateToken } from "@turnpike/payments/protocol";
import { within } from "@/lib/domain/within.ts";
import { createTracing } from "@/lib/sdk/tracing/index.ts";
import { answerOf, failureOf, type OperationEvent } from "./observe-operation.ts";

const STOP_WAIT_MS = 2_000;
const EXPORT_WAIT_MS = 5_000;

/**
 * Traces the service's own operations, and gates in this process, by a separate tracer, so that nothing else is traced. Spans
 * go to the collector at `endpoint` over HTTP in the background, or to the given processor; failures there are ignored.
 */
export function startTracing({
  endpoint,
  processor = exportTo(endpoint),
}: {
  endpoint?: string | undefined;
  processor?: SpanProcessor;
}) {
  const provider = new NodeTracerProvider({ spanProcessors: [processor] });
  const api = {
    trace: {
      getTracer: (name: string, version?: string) => provider.getTracer(name, version),
      setSpan: trace.setSpan,
    },
    ROOT_CONTEXT,
  };
  const tracer = provider.getTracer("turnpike");
  return {
    observeGate: createTracing(api, { isEnabled: true }),
    observeOperation: (event: OperationEvent) => addSpan(tracer, event),
    /** Sends what is left. Never throws: an unreachable collector must not delay the shutdown. */
    stop: () => within(provider.shutdown(), STOP_WAIT_MS, "The tracer hangs.").catch(() => {}),
  };
}

function exportTo(endpoint = "http://localhost:4318"): SpanProcessor {
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  return new BatchSpanProcessor(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_WAIT_MS }));
}

/** The span of an operation that has one, with the keys of §6. */
function addSpan(tracer: Tracer, event: OperationEvent): void {
  if (!event.span) return;
  const { name } = event.span;
  const { startedAt: startTime, durationMs, result } = event;
  const attributes = metadataOf(event);
  const span = tracer.startSpan(name, { root: true, startTime, attributes }, context.active());
  const failure = failureOf(result);
  if (failure !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end(startTime + durationMs);
}

function metadataOf({ span, durationMs, input, result }: OperationEvent) {
  const { x402AccessToken: token } = input as { x402AccessToken?: unknown };
  const answer = answerOf(result);
  const known = {
    "svc.plan_ids": typeof answer.planId === "string" ? [answer.planId] : undefined,
    "svc.scheme": text(answer.scheme),
    "svc.network": text(answer.network),
    "svc.agent_id": text(answer.agentId),
    "svc.agent_request_id": text(answer.agentRequestId),
    "svc.payer": text(answer.payer),
    "svc.credits_redeemed": text(answer.creditsRedeemed),
    "svc.balance.after": text(answer.remainingBalance),
    "svc.tx_hash": text(answer.txHash),
    "svc.payment_token": typeof token === "string" ? abbreviateToken(token) : undefined,
    [`${span?.prefix}.duration_ms`]: Math.round(durationMs * 100) / 100,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
