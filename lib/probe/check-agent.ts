import "server-only";
import type { Agent } from "@turnpike/payments/protocol";
import type { RecordedDefinition, Recording } from "./checks/check.ts";
import { runChecks, UNPAID_CHECKS } from "./checks/run-checks.ts";
import { TOKEN_CHECKS } from "./checks/token-checks.ts";
import type { Exchange } from "./exchange.ts";
import { inParallel } from "./in-parallel.ts";
import { judgeProbe } from "./judge-probe.ts";
import { askUnpaid, type ProbedEndpoint, type Prober, recordingOf } from "./probe-endpoint.ts";
import { recordRefusals, recordRepeats } from "./record-unpaid.ts";
import { endpointsOf, recordDefinition, recordOpen, recordUnmatched } from "./record-whole.ts";
import type { CheckEvent, Finding } from "./report/probe.ts";

const NOTHING_TO_ASK: Exchange = {
  method: "GET",
  url: "",
  outcome: { kind: "refused", code: "url_invalid", message: "The agent has no endpoints.", ms: 0 },
};
const AT_A_TIME = 2;
const OF_AGENT = ["D17", "D18", "D22", "D23"];
const OF_ENDPOINT = [...UNPAID_CHECKS.filter(({ id }) => !OF_AGENT.includes(id)), ...TOKEN_CHECKS];
const OF_THE_WHOLE = UNPAID_CHECKS.filter(({ id }) => OF_AGENT.includes(id));

/** Runs every unpaid check of a registered agent. */
export async function* checkAgent(prober: Prober, agent: Agent): AsyncGenerator<CheckEvent> {
  const endpoints = endpointsOf(agent);
  yield { type: "start", endpoints };
  const found = await recordDefinition(prober, agent, endpoints);
  const probed = endpoints.map((one) => ({ ...one, ...found.about(one) }));
  const recordings = inParallel(probed, AT_A_TIME, (one) => recordEndpoint(prober, one));
  for await (const { index, result } of recordings) {
    const probe = judgeProbe(result);
    yield {
      type: "endpoint",
      index,
      probe: { ...probe, findings: runChecks(result, OF_ENDPOINT) },
    };
  }
  const findings = await checkWhole(prober, agent, endpoints, found.definition);
  yield { type: "agent", findings };
}

/** Records everything about one endpoint that costs nothing. */
async function recordEndpoint(prober: Prober, endpoint: ProbedEndpoint): Promise<Recording> {
  const ask = await askUnpaid(prober, endpoint);
  return {
    ...(await recordingOf(prober, endpoint, ask)),
    ...(await recordRepeats(prober, endpoint, ask)),
    ...(await recordRefusals(prober, endpoint, ask)),
  };
}

async function checkWhole(
  prober: Prober,
  agent: Agent,
  endpoints: readonly ProbedEndpoint[],
  definition: RecordedDefinition,
): Promise<Finding[]> {
  const [first] = endpoints;
  const base = first?.url ?? definition.url ?? undefined;
  const { unmatched } = await recordUnmatched(prober, base);
  const recording: Recording = {
    verb: "GET",
    pattern: base ?? "",
    ask: unmatched ?? NOTHING_TO_ASK,
    known: { plans: {}, agents: {}, networks: {}, schemeAliases: [] },
    definition,
    ...(await recordOpen(prober, agent, base)),
    ...(unmatched && { unmatched }),
  };
  return runChecks(recording, OF_THE_WHOLE);
}
