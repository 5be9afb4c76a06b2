import "server-only";
import type { Agent } from "@turnpike/payments/protocol";
import type { RecordedDefinition, Recording } from "./checks/check.ts";
import { type Finding, runChecks, UNPAID_CHECKS } from "./checks/run-checks.ts";
import { read } from "./discover-agent.ts";
import { answerOf, type Exchange, recordExchange } from "./exchange.ts";
import { placeholdersOf } from "./fill-placeholders.ts";
import { inParallel } from "./in-parallel.ts";
import { judgeProbe, type Probe } from "./judge-probe.ts";
import { askUnpaid, type ProbedEndpoint, type Prober, recordingOf } from "./probe-endpoint.ts";

/** What a run of the unpaid checks tells, as it goes. */
export type CheckEvent =
  | { type: "start"; endpoints: { verb: string; url: string }[] }
  | { type: "endpoint"; index: number; probe: Probe }
  /** What holds for the agent as a whole: its definition, its open endpoints, other paths. */
  | { type: "agent"; findings: Finding[] };

const NOTHING_TO_ASK: Exchange = {
  method: "GET",
  url: "",
  outcome: { kind: "refused", code: "url_invalid", message: "There is no endpoint.", ms: 0 },
};
const AT_A_TIME = 2;
const REPEATS = 8;
const OF_AGENT = ["D17", "D18", "D22", "D23"];
const OF_ENDPOINT = UNPAID_CHECKS.filter(({ id }) => !OF_AGENT.includes(id));
const OF_THE_WHOLE = UNPAID_CHECKS.filter(({ id }) => OF_AGENT.includes(id));

/** Runs every check that needs no token against a registered agent. */
export async function* checkAgent(prober: Prober, agent: Agent): AsyncGenerator<CheckEvent> {
  const endpoints = endpointsOf(agent);
  yield { type: "start", endpoints };
  const found = await readRegistered(prober, agent, endpoints);
  const probed = endpoints.map((one) => ({ ...one, ...found.about(one) }));
  const recordings = inParallel(probed, AT_A_TIME, (one) => recordUnpaid(prober, one));
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

/** Runs the unpaid checks of a single endpoint against any address, registered or not. */
export async function* checkEndpoint(
  prober: Prober,
  endpoint: ProbedEndpoint,
): AsyncGenerator<CheckEvent> {
  yield { type: "start", endpoints: [{ verb: endpoint.verb, url: endpoint.url }] };
  const recording = await recordUnpaid(prober, endpoint);
  const findings = runChecks(recording, OF_ENDPOINT);
  yield { type: "endpoint", index: 0, probe: { ...judgeProbe(recording), findings } };
  const nowhere = new URL("/turnpike-no-such-path-7f3a", endpoint.url).href;
  const unmatched = await askUnpaid(prober, { verb: "GET", url: nowhere });
  const whole = runChecks(
    { ...recording, ask: unmatched, unmatched },
    OF_THE_WHOLE.filter(({ id }) => id === "D18"),
  );
  yield { type: "agent", findings: whole };
}

/** Everything about one endpoint that can be seen without a token. */
async function recordUnpaid(prober: Prober, endpoint: ProbedEndpoint): Promise<Recording> {
  const ask = await askUnpaid(prober, endpoint);
  const recording = await recordingOf(prober, endpoint, ask);
  if (answerOf(ask)?.status !== 402) return recording;
  const times = [ask.outcome.ms];
  const repeat = async () => {
    const exchange = await askUnpaid(prober, endpoint);
    times.push(exchange.outcome.ms);
    return exchange;
  };
  const again = await repeat();
  const html = await askUnpaid(prober, endpoint, { headers: { accept: "text/html" } });
  const preflight = await askUnpaid(prober, endpoint, {
    method: "OPTIONS",
    headers: {
      origin: "https://pages.example",
      "access-control-request-method": endpoint.verb,
      "access-control-request-headers": "payment-signature",
    },
  });
  for (let repeats = 0; repeats < REPEATS; repeats++) await repeat();
  const names = placeholdersOf(endpoint.url);
  const others = Object.fromEntries(names.map((name) => [name, "another-2"]));
  const otherValues =
    names.length > 0 ? await askUnpaid(prober, { ...endpoint, values: others }) : undefined;
  return {
    ...recording,
    again,
    html,
    preflight,
    askMs: times,
    ...(otherValues && { otherValues }),
  };
}

async function checkWhole(
  prober: Prober,
  agent: Agent,
  endpoints: readonly ProbedEndpoint[],
  definition: RecordedDefinition,
): Promise<Finding[]> {
  const [first] = endpoints;
  const openUrls = agent.metadata.agent.openEndpoints;
  const base = first?.url ?? definition.url ?? undefined;
  const open = await Promise.all(
    openUrls.flatMap((url) =>
      URL.canParse(url, base)
        ? [askUnpaid(prober, { verb: "GET", url: new URL(url, base).href })]
        : [],
    ),
  );
  const nowhere = base && new URL("/turnpike-no-such-path-7f3a", base).href;
  const unmatched = nowhere ? await askUnpaid(prober, { verb: "GET", url: nowhere }) : undefined;
  const recording: Recording = {
    verb: "GET",
    pattern: base ?? "",
    ask: unmatched ?? NOTHING_TO_ASK,
    known: { plans: {}, agents: {}, networks: {}, schemeAliases: [] },
    definition,
    open,
    ...(unmatched && { unmatched }),
  };
  return runChecks(recording, OF_THE_WHOLE);
}

/** The definition as it is now, and what it says of single endpoints. */
async function readRegistered(prober: Prober, agent: Agent, endpoints: readonly ProbedEndpoint[]) {
  const { agentDefinitionUrl: url = null, openEndpoints: openUrls } = agent.metadata.agent;
  const paid = endpoints.map(({ verb, url }) => `${verb} ${url}`);
  if (url === null) {
    const definition = { url, label: null, fault: null, described: [], paid, openUrls };
    return { definition, about: () => ({}) };
  }
  const { outbound, account, signal } = prober;
  const exchange = await recordExchange(outbound, {
    account,
    method: "GET",
    url,
    headers: { accept: "application/json" },
    ...(signal && { signal }),
  });
  const { look, definition } = read(exchange, new URL(url).pathname);
  const described = definition?.endpoints ?? [];
  return {
    definition: {
      url,
      label: definition?.label ?? null,
      fault: definition ? null : look.note,
      described: described.map(({ verb, url }) => `${verb} ${url.split("?")[0]}`),
      paid,
      openUrls,
    },
    about: ({ verb, url }: ProbedEndpoint) => {
      const same = described.find(
        (one) => one.verb === verb && one.url.split("?")[0] === url.split("?")[0],
      );
      const { values, sample, isStream } = same ?? {};
      return {
        ...(values && { values }),
        ...(sample && { sample }),
        ...(isStream && { isStream }),
      };
    },
  };
}

/** The endpoints of an agent as they can be called: those that are only a path need a base. */
function endpointsOf(agent: Agent): { verb: string; url: string }[] {
  const { endpoints, agentDefinitionUrl } = agent.metadata.agent;
  return endpoints.flatMap((endpoint) =>
    Object.entries(endpoint).map(([verb, url]) => ({
      verb,
      url:
        url.startsWith("/") && agentDefinitionUrl ? new URL(agentDefinitionUrl).origin + url : url,
    })),
  );
}
