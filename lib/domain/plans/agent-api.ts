import { isWebUrl, type ParsedInputOf, toJson } from "@turnpike/payments/protocol";
import { HOSTED_DEFINITION } from "@/lib/console/hosted-definition.ts";
import type { Context } from "../context.ts";
import type { AgentRecord } from "../records.ts";
import { withAgentId } from "./agent-url.ts";

type ApiInput = ParsedInputOf<"registerAgent">["agentApiAttributes"];

/**
 * The agent's ID in place of `:agentId` (§2.8). Endpoints in the clear; everything that authenticates at the agent sealed and
 * never read back.
 */
export function apiOf(
  { ports }: Context,
  agentId: string,
  api: Omit<ApiInput, "endpoints"> & Partial<Pick<AgentRecord, "endpoints">>,
) {
  const { username, password, token, apiKey, headers } = api;
  const secrets = { username, password, token, apiKey, headers };
  const hasSecrets = Object.values(secrets).some((secret) => secret !== undefined);
  const named = (url: string) => withAgentId(url, agentId);
  const endpoints = (api.endpoints ?? []).map(({ verb, url }) => ({ verb, url: named(url) }));
  return {
    endpoints,
    openEndpoints: (api.openEndpoints ?? []).map(named),
    definitionUrl: api.agentDefinitionUrl
      ? named(api.agentDefinitionUrl)
      : defaultDefinition(ports, agentId, endpoints),
    authType: api.authType ?? "NONE",
    credentials: hasSecrets
      ? ports.crypto.seal(toJson(secrets), { purpose: "agent-credentials", row: agentId })
      : null,
  };
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
  const changed = apiOf(context, agentId, {
    ...api,
    endpoints: api.endpoints ?? endpoints,
    openEndpoints: api.openEndpoints ?? openEndpoints,
    authType: api.authType ?? authType,
    agentDefinitionUrl: api.agentDefinitionUrl ?? kept,
  });
  const isKept = changed.credentials === null && changed.authType === agent.authType;
  return isKept ? { ...changed, credentials: agent.credentials } : changed;
}
