/** Prometheus metrics of the gate: what `@turnpike/payments/metrics` exports. */
export { createMetrics, type MetricsOptions } from "./create-metrics.ts";
export type { PromClient } from "./prom-types.ts";
