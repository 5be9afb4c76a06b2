import "server-only";
import type { Outbound, OutboundRequest } from "@/lib/domain/outbound-ports.ts";
import { type AgentAccess, accessHeaders } from "./agent-access.ts";
import type { Recording } from "./checks/check.ts";
import { answerOf, type Exchange, recordExchange } from "./exchange.ts";
import { fillPlaceholders } from "./fill-placeholders.ts";
import { judgeProbe } from "./judge-probe.ts";
import { type Registered, readKnown } from "./read-known.ts";
import type { FoundEndpoint } from "./report/discovery.ts";
import type { Probe } from "./report/probe.ts";

export type Prober = {
  outbound: Outbound;
  /** Plans and agents registered with the service. */
  ports: Registered;
  account: string;
  signal?: AbortSignal;
  access?: AgentAccess;
  agentId?: string;
};

export type ProbedEndpoint = Omit<FoundEndpoint, "summary" | "isPayable" | "isElsewhere">;

/** Enough for an envelope, or to recognise what was sent instead. */
const PROBE_BYTES = 256 * 1024;
const PROBE_MS = 20_000;
const HAS_BODY = ["POST", "PUT", "PATCH"];

/** Calls an endpoint without a token, so that nothing can be charged, and checks the response. */
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

/** Sends one request without a token, with placeholders filled in and the agent's own authentication. */
export function askUnpaid(
  prober: Prober,
  endpoint: ProbedEndpoint,
  over: Partial<Pick<OutboundRequest, "method" | "headers" | "url" | "totalMs" | "silentMs">> = {},
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
    totalMs: over.totalMs ?? PROBE_MS,
    ...(over.silentMs !== undefined && { silentMs: over.silentMs }),
  });
}

// Many servers return 404 instead of 405 for another method, so try that method too.
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
