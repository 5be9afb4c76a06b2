import type { GateObserver } from "@turnpike/payments";
import type { Log } from "@/lib/domain/ports.ts";
import type { Env } from "../env.ts";
import { joinObservers, type OperationObserver } from "./observe-operation.ts";

/**
 * Starts the tracer and the door of the metrics, which hear of operations and of gated requests, each only when it is asked
 * for; neither is loaded else.
 */
export async function openWatch(
  env: Pick<Env, "isTracing" | "otlpEndpoint" | "metrics">,
  { log, waiting }: { log: Log; waiting: Record<string, () => number> },
) {
  const { isTracing, otlpEndpoint: endpoint } = env;
  const ends: (() => Promise<void>)[] = [];
  const parts: { observeOperation: OperationObserver; observeGate: GateObserver }[] = [];
  if (env.metrics) {
    const { createServiceMetrics, serveMetrics } = await import("./metrics.ts");
    const metrics = createServiceMetrics(waiting);
    const door = await serveMetrics(metrics, env.metrics);
    log.info({ url: `${door.origin}/metrics` }, "metrics");
    parts.push(metrics);
    ends.push(door.close);
  }
  if (isTracing) {
    const { startTracing } = await import("./tracing.ts");
    const tracing = startTracing({ endpoint });
    parts.push(tracing);
    ends.push(tracing.stop);
  }
  const ofOperations = parts.map(({ observeOperation }) => observeOperation);
  const ofGate = parts.map(({ observeGate }) => observeGate);
  return {
    observe: joinObservers("operations", ofOperations, log),
    // The gate guards itself against each of its observers; one failing here must not silence the next.
    observeGate: joinObservers("the gate", ofGate, log),
    close: async () => {
      for (const end of ends.reverse()) await end();
    },
  };
}
