/** OpenTelemetry spans of the gate: what `@turnpike/payments/tracing` exports. */
export { createTracing, type TracingOptions } from "./create-tracing.ts";
export type { OtelApi, OtelSpan, OtelTracer } from "./otel-types.ts";
