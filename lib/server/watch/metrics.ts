import { createServer } from "node:http";
import * as prometheus from "prom-client";
import { createMetrics } from "@/lib/sdk/metrics/index.ts";
import { serveOn } from "../own-url.ts";
import { failureOf, type OperationEvent } from "./observe-operation.ts";

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/**
 * Counters and durations of every operation, gauges of what waits, and the metrics of gates in this
 * process, in their own registry. `waiting` is called when the metrics are read.
 */
export function createServiceMetrics(waiting: Record<string, () => number> = {}) {
  const registry = new prometheus.Registry();
  const registers = [registry];
  prometheus.collectDefaultMetrics({ register: registry });
  const operations = new prometheus.Counter({
    name: "turnpike_operations_total",
    help: "Operations of the API, by outcome: ok, refused, or an error's code.",
    labelNames: ["operation", "outcome"],
    registers,
  });
  const seconds = new prometheus.Histogram({
    name: "turnpike_operation_seconds",
    help: "Duration of operations; verifyPermissions and settlePermissions are the paid path.",
    labelNames: ["operation"],
    buckets: BUCKETS,
    registers,
  });
  for (const [name, read] of Object.entries(waiting)) {
    new prometheus.Gauge({
      name: `turnpike_${name}`,
      help: `${name.replaceAll("_", " ")}, as last counted.`,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
  return {
    observeGate: createMetrics(prometheus, { registers }),
    observeOperation: ({ name: operation, durationMs, result }: OperationEvent) => {
      operations.inc({ operation, outcome: outcomeOf(result) });
      seconds.observe({ operation }, durationMs / 1000);
    },
    read: () => registry.metrics(),
  };
}

function outcomeOf(result: OperationEvent["result"]): string {
  const failure = failureOf(result);
  return failure !== null && "answer" in result ? "refused" : (failure ?? "ok");
}

/** Serves `GET /metrics` on a separate port, never on the public one. Rejects when the port is taken. */
export function serveMetrics(
  { read }: { read: () => Promise<string> },
  place: { port: number; host: string },
) {
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    try {
      const body = await read();
      response.writeHead(200, { "content-type": prometheus.Registry.PROMETHEUS_CONTENT_TYPE });
      response.end(body);
    } catch {
      response.writeHead(500).end();
    }
  });
  return serveOn(server, { ...place, use: { name: "the metrics", setting: "METRICS_PORT" } });
}
