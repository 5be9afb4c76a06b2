import "server-only";
import { AgentId } from "@turnpike/payments/protocol";
import { notFound } from "next/navigation";
import { cache } from "react";
import { readPublic } from "@/app/_session/operations.ts";
import { readSession } from "@/app/_session/session.ts";

const MOST_PLANS = 50;

/**
 * An agent as everyone sees it, with its listed plans alone. Without one, or archived, only its owner sees it, and has no
 * `facts` of it.
 */
export const readPublicAgent = cache(async (given: string) => {
  const agentId = decodeURIComponent(given);
  if (!AgentId.safeParse(agentId).success) notFound();
  const [agent, measured, session] = await Promise.all([
    readPublic("getAgent", { agentId }),
    readPublic("listMarketFacts", { agentIds: agentId }),
    readSession(),
  ]);
  const facts = measured?.agents[0];
  const isOwn = agent !== null && session?.account.address === agent.owner;
  if (!agent || (!facts && !isOwn)) notFound();
  const plans = await readPublic("getAgentPlans", { agentId, limit: MOST_PLANS });
  // In the order their seller made them.
  const listed = (plans?.items ?? [])
    .filter(({ state, archivedAt }) => state === "listed" && !archivedAt)
    .toReversed();
  return { agent, facts, isOwn, plans: listed };
});
