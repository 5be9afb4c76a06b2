import "server-only";
import { AgentId, PlanId } from "@turnpike/payments/protocol";
import { agentIdIn, envelopeOf, type Known, offersOf, planIdIn } from "./checks/check.ts";
import type { Exchange } from "./exchange.ts";

const MAX_IDS = 20;

type KnownPlan = {
  price: { isCrypto: boolean };
  metadata: { name: string };
  archivedAt?: Date | string | null | undefined;
};

/** The service's data that checks compare with, from its ports or its API. */
export type Registered = {
  plans: {
    find(id: string): Promise<KnownPlan | null>;
  };
  /** An agent with its plans, among them each of `offered` that it accepts. */
  agents: {
    find(id: string, offered: readonly string[]): Promise<{ planIds: readonly string[] } | null>;
  };
  networks: Readonly<Record<string, string>>;
  schemeAliases: readonly string[];
};

/** Looks up the plans and agents in a 402. */
export async function readKnown(ports: Registered, ask: Exchange): Promise<Known> {
  const offers = offersOf(envelopeOf(ask)).slice(0, MAX_IDS);
  const planIds = idsOf(offers.map(planIdIn), (id) => PlanId.safeParse(id).success);
  const agentIds = idsOf(offers.map(agentIdIn), (id) => AgentId.safeParse(id).success);
  const [plans, agents] = await Promise.all([
    Promise.all(planIds.map((id) => ports.plans.find(id))),
    Promise.all(agentIds.map((id) => ports.agents.find(id, planIds))),
  ]);
  // Do not look up malformed ids.
  const nowhere = [...offers.map(planIdIn)].filter((id) => id !== null && !planIds.includes(id));
  const noAgent = [...offers.map(agentIdIn)].filter((id) => id !== null && !agentIds.includes(id));
  return {
    plans: {
      ...Object.fromEntries(nowhere.map((id) => [id, null])),
      ...Object.fromEntries(
        planIds.map((id, at) => {
          const plan = plans[at];
          if (!plan) return [id, null];
          const { price, metadata, archivedAt } = plan;
          const known = { isCrypto: price.isCrypto, name: metadata.name };
          return [id, { ...known, isArchived: Boolean(archivedAt) }];
        }),
      ),
    },
    agents: {
      ...Object.fromEntries(noAgent.map((id) => [id, null])),
      ...Object.fromEntries(
        agentIds.map((id, at) => {
          const agent = agents[at];
          return [id, agent ? { planIds: agent.planIds } : null];
        }),
      ),
    },
    networks: ports.networks,
    schemeAliases: ports.schemeAliases,
  };
}

const idsOf = (ids: (string | null)[], isOne: (id: string) => boolean): string[] => [
  ...new Set(ids.filter((id) => id !== null && isOne(id)) as string[]),
];
