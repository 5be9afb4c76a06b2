import type { Agent } from "@turnpike/payments/protocol";
import { distinctNames } from "../ui/values/distinct-names.ts";
import { endpointOf } from "./endpoint-of.ts";
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
