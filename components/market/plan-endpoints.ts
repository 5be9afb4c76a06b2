import type { Agent } from "@turnpike/payments/protocol";
import type { AgentMarketFacts } from "@/lib/console/market-facts.ts";

export type PlanAgent = Agent & { note?: string };

/** The agents of a plan with their endpoints that take it, as far as their last check saw: not every endpoint takes every plan. */
export const agentsOfPlan = (
  planId: string,
  agents: readonly Agent[],
  facts: readonly AgentMarketFacts[],
): PlanAgent[] =>
  agents.map((agent) =>
    withEndpoints(agent, planId, facts.find(({ id }) => id === agent.agentId)?.offers),
  );

function withEndpoints(
  agent: Agent,
  planId: string,
  offers: AgentMarketFacts["offers"] = {},
): PlanAgent {
  const { metadata } = agent;
  const all = metadata.agent.endpoints.flatMap((one) =>
    Object.entries(one).map(([verb, url]) => ({
      endpoint: { [verb]: url },
      offered: offers[`${verb} ${url}`],
    })),
  );
  const taking = all.filter(({ offered }) => offered?.includes(planId) ?? true);
  // A plan that was added since the last check is offered by none yet.
  const shown = taking.length > 0 ? taking : all;
  const isSeen = taking.every(({ offered }) => offered !== undefined);
  const note = taking.length === 0 ? NONE : isSeen ? undefined : UNSEEN;
  return {
    ...agent,
    metadata: {
      ...metadata,
      agent: { ...metadata.agent, endpoints: shown.map(({ endpoint }) => endpoint) },
    },
    ...(all.length > 0 && note && { note }),
  };
}

const NONE = "None of these endpoints offered this plan at the last check.";
const UNSEEN = "The 402 of each endpoint lists the plans it accepts.";
