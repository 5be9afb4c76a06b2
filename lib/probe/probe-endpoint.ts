import "server-only";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import { type AgentAccess, accessHeaders } from "./agent-access.ts";
import type { Recording } from "./checks/check.ts";
import { type Asking, answerOf, type Exchange, recordExchange } from "./exchange.ts";
import { fillPlaceholders } from "./fill-placeholders.ts";
import { judgeProbe } from "./judge-probe.ts";
import { type Registered, readKnown } from "./read-known.ts";
import type { Probe } from "./report/probe.ts";

/** Who asks, and through what. */
export type Prober = {
  outbound: Outbound;
  /** What is registered at the service. */
  ports: Registered;
  account: string;
  signal?: AbortSignal;
  access?: AgentAccess;
  agentId?: string;
};

export type ProbedEndpoint = {
  verb: string;
  url: string;
  values?: Record<string, string>;
  /** Request body, as JSON text. */
  sample?: string;
  isStream?: boolean;
};

/** Enough for an envelope and for judging what came in its place. */
const PROBE_BYTES = 256 * 1024;
const PROBE_MS = 20_000;
const HAS_BODY = ["POST", "PUT", "PATCH"];

/** Asks an endpoint without a token and judges the answer; nothing can be charged. */
export async function probeEndpoint(prober: Prober, endpoint: ProbedEndpoint): Promise<Probe> {
  const ask = await askUnpaid(prober, endpoint);
  const recording = await recordingOf(prober, endpoint, ask);
  return judgeProbe(recording, await otherMethod(prober, endpoint, ask));
}

export async function recordingOf(
  { ports, agentId }: Prober,
  endpoint: ProbedEndpoint,
  ask: Exchange,
): Promise<Recording> {
  return {
    verb: endpoint.verb,
    pattern: endpoint.url,
    ask,
    known: await readKnown(ports, ask),
    ...(agentId && { agentId }),
    ...(endpoint.isStream && { isStream: true }),
  };
}

/** One request without a token, placeholders filled in, with the agent's own login. */
export function askUnpaid(
  prober: Prober,
  endpoint: ProbedEndpoint,
  over: Partial<Pick<Asking, "method" | "headers" | "url">> = {},
): Promise<Exchange> {
  const { outbound, account, signal, access } = prober;
  const { authorization, headers } = accessHeaders(access);
  const method = over.method ?? endpoint.verb;
  const hasBody = HAS_BODY.includes(method);
  return recordExchange(outbound, {
    account,
    method,
    url: over.url ?? fillPlaceholders(endpoint.url, endpoint.values),
    headers: {
      accept: "application/json",
      ...headers,
      ...(hasBody && { "content-type": "application/json" }),
      ...over.headers,
    },
    ...(authorization && { authorization }),
    ...(hasBody && { body: endpoint.sample ?? "{}" }),
    ...(signal && { signal }),
    maxBytes: PROBE_BYTES,
    totalMs: PROBE_MS,
  });
}

// Many servers say 404, not 405, to a method they do not route: what asks on another one is told.
async function otherMethod(
  prober: Prober,
  endpoint: ProbedEndpoint,
  ask: Exchange,
): Promise<string | null> {
  const status = answerOf(ask)?.status ?? 0;
  if (![400, 404, 405, 501].includes(status)) return null;
  const method = endpoint.verb === "POST" ? "GET" : "POST";
  const other = await askUnpaid(prober, endpoint, { method });
  return answerOf(other)?.status === 402 ? method : null;
}
