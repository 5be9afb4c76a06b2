import type { Agent } from "@turnpike/payments/protocol";
import { canParseUrl } from "@turnpike/payments/protocol";
import { distinctNames } from "../ui/values/distinct-names.ts";
import type { MintTerms } from "./mint-values.ts";

/** The agents a token can be bound to, first registered first. */
export function mintAgents(agents: readonly Agent[]): MintTerms["agents"] {
  const names = distinctNames(agents.map(({ agentId, metadata }) => [agentId, metadata.main.name]));
  return agents.toReversed().map(({ agentId, metadata }) => ({
    agentId,
    name: names.get(agentId) ?? metadata.main.name,
    ...endpointOf(metadata.agent.endpoints),
  }));
}

const PLACEHOLDER = /[:{]/;

/** The first endpoint that can be called without filling in its path: a method and a URL. */
function endpointOf(endpoints: readonly Record<string, string>[]): {
  url: string;
  method: string;
} {
  const pairs = endpoints.flatMap((each) => Object.entries(each));
  const isPlain = (url: string) => canParseUrl(url) && !PLACEHOLDER.test(new URL(url).pathname);
  const [method, url] = pairs.find(([, address]) => isPlain(address)) ?? pairs[0] ?? [];
  return { url: url ?? "https://your-agent.example/ask", method: method ?? "POST" };
}
