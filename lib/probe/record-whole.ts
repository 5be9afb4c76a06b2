import "server-only";
import { type Agent, canParseUrl, isWebUrl } from "@turnpike/payments/protocol";
import { isHostedDefinition } from "@/lib/console/hosted-definition.ts";
import type { RecordedDefinition, Recording } from "./checks/check.ts";
import { read } from "./discover-agent.ts";
import { recordExchange } from "./exchange.ts";
import { fillPlaceholders } from "./fill-placeholders.ts";
import { askUnpaid, type ProbedEndpoint, type Prober } from "./probe-endpoint.ts";

const NOWHERE = "/turnpike-no-such-path-7f3a";

type RegisteredEndpoint = { verb: string; url: string };

/** What a definition adds to an endpoint. */
type Described = Partial<Pick<ProbedEndpoint, "values" | "sample" | "isStream">>;

/** The endpoints of an agent as callable URLs: a path alone needs a base. */
export function endpointsOf(agent: Agent): RegisteredEndpoint[] {
  const { endpoints, agentDefinitionUrl: definition } = agent.metadata.agent;
  const base =
    definition && !isHostedDefinition(definition, agent.agentId) ? new URL(definition).origin : "";
  return endpoints.flatMap((endpoint) =>
    Object.entries(endpoint).map(([verb, url]) => ({
      verb,
      url: url.startsWith("/") ? base + url : url,
    })),
  );
}

export async function recordUnmatched(
  prober: Prober,
  base: string | undefined,
): Promise<Pick<Recording, "unmatched">> {
  const nowhere = base && canParseUrl(NOWHERE, base) ? new URL(NOWHERE, base).href : null;
  return nowhere ? { unmatched: await askUnpaid(prober, { verb: "GET", url: nowhere }) } : {};
}

export async function recordOpen(
  prober: Prober,
  agent: Agent,
  base: string | undefined,
): Promise<Pick<Recording, "open">> {
  const asked = agent.metadata.agent.openEndpoints.flatMap((url) =>
    canParseUrl(url, base)
      ? [askUnpaid(prober, { verb: "GET", url: new URL(url, base).href })]
      : [],
  );
  return { open: await Promise.all(asked) };
}

/** The current definition, and what it says about each endpoint. */
export async function recordDefinition(
  prober: Prober,
  agent: Agent,
  endpoints: readonly RegisteredEndpoint[],
): Promise<{ definition: RecordedDefinition; about: (endpoint: RegisteredEndpoint) => Described }> {
  const { agentDefinitionUrl: url = null, openEndpoints: openUrls } = agent.metadata.agent;
  // No definition describes an address such as `mcp://server/tools/count`.
  const paid = endpoints
    .filter(({ url }) => url.startsWith("/") || isWebUrl(url))
    .map(({ verb, url }) => `${verb} ${url}`);
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
      seen: { exchange, how: "the registered definition" },
    },
    about: ({ verb, url }) => {
      const same = described.find((one) => one.verb === verb && shapeOf(one.url) === shapeOf(url));
      const { values, sample, isStream } = same ?? {};
      return {
        ...(values && { values }),
        ...(sample && { sample }),
        ...(isStream && { isStream }),
      };
    },
  };
}

/** Treats `:id` and `{id}` as the same endpoint. */
const shapeOf = (url: string): string => fillPlaceholders(url.split("?")[0] as string);
