import "server-only";
import { inParallel } from "./in-parallel.ts";
import { type ProbedEndpoint, type Prober, probeEndpoint } from "./probe-endpoint.ts";
import type { ProbeEvent } from "./report/probe.ts";

const AT_A_TIME = 5;

/** Probes endpoints, five at a time; each result has the index of its endpoint. */
export async function* probeEndpoints(
  prober: Prober,
  endpoints: readonly ProbedEndpoint[],
): AsyncGenerator<ProbeEvent> {
  const probes = inParallel(endpoints, AT_A_TIME, (one) => probeEndpoint(prober, one));
  for await (const { index, result } of probes) yield { index, probe: result };
}
