import { isWebUrl, type ParsedInputOf, toJson } from "@turnpike/payments/protocol";
import { HOSTED_DEFINITION } from "@/lib/console/hosted-definition.ts";
import { type Context, invalid } from "../context.ts";
import type { AgentRecord } from "../records.ts";
import { withAgentId } from "./agent-url.ts";

type ApiInput = ParsedInputOf<"registerAgent">["agentApiAttributes"];
type Urls = Pick<AgentRecord, "endpoints" | "openEndpoints">;

/** Of all endpoints of an agent together: everyone reads them, in pages of a hundred agents. */
const MAX_ENDPOINT_CHARACTERS = 20_000;
/** Of everything that authenticates at the agent: each read of the agent's row has it. */
const MAX_CREDENTIAL_CHARACTERS = 32_000;

/**
 * The agent's ID in place of `:agentId` (§2.8). Endpoints in the clear; everything that authenticates at the agent sealed and
 * never read back. An agent that `had` longer endpoints, of an earlier release, may keep them or shorten them.
 */
export function apiOf(
  { ports }: Context,
  agentId: string,
  api: Omit<ApiInput, "endpoints"> & Partial<Pick<AgentRecord, "endpoints">>,
  had: Urls = { endpoints: [], openEndpoints: [] },
) {
  const { username, password, token, apiKey, headers } = api;
  const secrets = { username, password, token, apiKey, headers };
  const hasSecrets = Object.values(secrets).some((secret) => secret !== undefined);
  requireShort("credentials and headers", toJson(secrets).length, MAX_CREDENTIAL_CHARACTERS);
  const named = (url: string) => withAgentId(url, agentId);
  const endpoints = (api.endpoints ?? []).map(({ verb, url }) => ({ verb, url: named(url) }));
  const openEndpoints = (api.openEndpoints ?? []).map(named);
  const characters = charactersOf({ endpoints, openEndpoints });
  if (characters > charactersOf(had)) {
    requireShort("endpoints and open endpoints", characters, MAX_ENDPOINT_CHARACTERS);
  }
  return {
    endpoints,
    openEndpoints,
    definitionUrl: api.agentDefinitionUrl
      ? named(api.agentDefinitionUrl)
      : defaultDefinition(ports, agentId, endpoints),
    authType: api.authType ?? "NONE",
    credentials: hasSecrets
      ? ports.crypto.seal(toJson(secrets), { purpose: "agent-credentials", row: agentId })
      : null,
  };
}

const charactersOf = ({ endpoints, openEndpoints }: Urls): number =>
  [...endpoints.map(({ url }) => url), ...openEndpoints].join("").length;

function requireShort(what: string, characters: number, most: number): void {
  if (characters <= most) return;
  const [given, max] = [characters, most].map((count) => count.toLocaleString("en-US"));
  const message = `An agent's ${what} have ${given} characters in all. At most ${max} are allowed.`;
  throw invalid("agentApiAttributes", message);
}

/**
 * Where a gate serves the definition of an agent that names none (§2.8): `/openapi.json` beside its first endpoint with a
 * host. Of one without, such as an MCP server's tools, Turnpike hosts the definition.
 */
function defaultDefinition(
  { origin }: Pick<Context["ports"], "origin">,
  agentId: string,
  endpoints: AgentRecord["endpoints"],
): string {
  const reached = endpoints.find(({ url }) => isWebUrl(url));
  if (reached) return new URL("/openapi.json", reached.url).href;
  return origin + withAgentId(HOSTED_DEFINITION, agentId);
}

/**
 * The same for a change: what is left out stays as it is. A definition that is at its default moves with the endpoints.
 * Another authentication type, or new credentials, replaces all credentials.
 */
export function changedApi(context: Context, agent: AgentRecord, api: ApiInput) {
  const { agentId, endpoints, openEndpoints, definitionUrl, authType } = agent;
  const isDefault = definitionUrl === defaultDefinition(context.ports, agentId, endpoints);
  const kept = isDefault ? undefined : (definitionUrl ?? undefined);
  const changed = apiOf(
    context,
    agentId,
    {
      ...api,
      endpoints: api.endpoints ?? endpoints,
      openEndpoints: api.openEndpoints ?? openEndpoints,
      authType: api.authType ?? authType,
      agentDefinitionUrl: api.agentDefinitionUrl ?? kept,
    },
    agent,
  );
  const isKept = changed.credentials === null && changed.authType === agent.authType;
  return isKept ? { ...changed, credentials: agent.credentials } : changed;
}
