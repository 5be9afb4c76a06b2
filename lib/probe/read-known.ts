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
  const planIds = [...new Set(offers.flatMap((offer) => planIdIn(offer) ?? []))];
  const agentIds = [...new Set(offers.flatMap((offer) => agentIdIn(offer) ?? []))];
  const isPlanId = (id: string) => PlanId.safeParse(id).success;
  const isAgentId = (id: string) => AgentId.safeParse(id).success;
  const [plans, agents] = await Promise.all([
    lookUp(planIds, isPlanId, async (id) => {
      const plan = await ports.plans.find(id);
      if (!plan) return null;
      const { price, metadata, archivedAt } = plan;
      return { isCrypto: price.isCrypto, name: metadata.name, isArchived: Boolean(archivedAt) };
    }),
    lookUp(agentIds, isAgentId, async (id) => {
      const agent = await ports.agents.find(id, planIds.filter(isPlanId));
      return agent && { planIds: agent.planIds };
    }),
  ]);
  return { plans, agents, networks: ports.networks, schemeAliases: ports.schemeAliases };
}

/** What is known by each id; malformed ones are not looked up. */
async function lookUp<Found>(
  ids: readonly string[],
  isOne: (id: string) => boolean,
  find: (id: string) => Promise<Found | null>,
): Promise<Record<string, Found | null>> {
  const found = ids.map(async (id) => [id, isOne(id) ? await find(id) : null] as const);
  return Object.fromEntries(await Promise.all(found));
}
