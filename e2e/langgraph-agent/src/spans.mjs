import { appendFileSync } from "node:fs";
import * as opentelemetry from "@opentelemetry/api";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";

const { SPANS_FILE = "spans.jsonl" } = process.env;

/** Writes a line per span, for the checks that follow. */
const toFile = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId } = span.spanContext();
      const line = { name: span.name, traceId, isRoot: span.parentSpanContext === undefined };
      appendFileSync(SPANS_FILE, `${JSON.stringify(line)}\n`);
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};

new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(toFile)] }).register();

/** The graph's span, inside the trace that is active where the graph runs. */
export function noteGraphRun() {
  const active = opentelemetry.context.active();
  opentelemetry.trace.getTracer("graph").startSpan("graph", {}, active).end();
}

export { opentelemetry };
