import type { GateObserver, JobEvent, RequestEvent } from "../gate/observe.ts";
import type { PromClient } from "./prom-types.ts";

/** Settings of `createMetrics`. */
export type MetricsOptions<Registry> = {
  /** Where the metrics are registered. Default: prom-client's own registry. */
  registers?: Registry[];
};

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * An observer that counts for Prometheus: gated requests by route, HTTP status and payment status; the
 * duration of verify, work and settle; and how many settlements wait in the background. Labels contain
 * nothing a caller sent. Throws what prom-client throws when the names are taken.
 *
 * @example
 * import * as prometheus from "prom-client";
 * createGate(payments, routes, { observe: createMetrics(prometheus) });
 */
export function createMetrics<Registry>(
  prometheus: PromClient<Registry>,
  { registers }: MetricsOptions<Registry> = {},
): GateObserver {
  const shared = registers && { registers };
  const requests = new prometheus.Counter({
    name: "turnpike_gate_requests_total",
    help: "Gated requests, by what their money did.",
    labelNames: ["route", "status", "money_status", "reason"],
    ...shared,
  });
  const seconds = (part: string, help: string) =>
    new prometheus.Histogram({
      name: `turnpike_gate_${part}_seconds`,
      help,
      labelNames: ["route", "outcome"],
      buckets: BUCKETS,
      ...shared,
    });
  const verify = seconds("verify", "From the look at the token to the verdict.");
  const work = seconds("work", "From the call of the work to its answer's status.");
  const settle = seconds("settle", "How long taking the credits took.");
  const jobs = new prometheus.Counter({
    name: "turnpike_gate_settlement_jobs_total",
    help: "Settlements and releases left for the background, and renewals that failed, by what became of them.",
    labelNames: ["job", "outcome"],
    ...shared,
  });
  const queue = new prometheus.Gauge({
    name: "turnpike_gate_settlement_queue",
    help: "Settlements and releases that wait to be repeated.",
    ...shared,
  });
  const waiting = new Set<string>();

  function countRequest(event: RequestEvent): void {
    // An ungated path is the caller's text, so it does not become a label.
    const { route = "unreadable", httpStatus: status, moneyStatus } = event;
    const reason = event.reason ?? "";
    requests.inc({ route, status, money_status: moneyStatus, reason });
    if (event.verify) {
      const outcome = event.verify.isValid ? "valid" : "refused";
      verify.observe({ route, outcome }, event.verify.durationMs / 1000);
    }
    if (event.work) work.observe({ route, outcome: status }, event.work.durationMs / 1000);
    if (event.settle) {
      const outcome = event.settle.settlement.success ? "settled" : "failed";
      settle.observe({ route, outcome }, event.settle.durationMs / 1000);
    }
  }

  function countJob({ job, outcome, agentRequestId }: JobEvent): void {
    jobs.inc({ job, outcome });
    if (job === "renewal") return;
    // Jobs of an earlier process become known when they are retried.
    if (outcome === "kept" || outcome === "repeated") waiting.add(agentRequestId);
    else waiting.delete(agentRequestId);
    queue.set(waiting.size);
  }

  return (event) => (event.type === "request" ? countRequest(event) : countJob(event));
}
