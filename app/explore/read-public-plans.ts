import "server-only";
import type { Agent, Plan } from "@turnpike/payments/protocol";
import { readPublic } from "@/app/_session/operations.ts";
import { verifiedFirst } from "@/components/market/facts-text.ts";
import type { Market } from "@/components/plans/market.ts";
import type { PlanListQuery } from "@/components/plans/plan-list.ts";
import { railOfPrice } from "@/components/plans/plan-terms.ts";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import type { AgentMarketFacts, MarketFacts } from "@/lib/console/market-facts.ts";

const PAGE = 24;
/** How many pages of the service are read to fill one page of a filter. */
const MOST_PAGES = 20;
const MOST_AGENTS = 2;

/** A listed plan with its first agents, how many there are, and what was measured of them. */
export type OfferedPlan = {
  plan: Plan;
  agents: { items: Agent[]; total: number };
  facts: MarketFacts | undefined;
  /** Of the plan's agents, the one with a proved domain first. */
  agentFacts: AgentMarketFacts[];
};

type PublicPlansQuery = Pick<PlanListQuery, "q" | "rail" | "domain" | "after">;

/** Listed plans, newest first. The service has no such filters, so pages are read until one is full. */
export async function readPublicPlans(
  { q, rail, domain, after }: PublicPlansQuery,
  market: Market,
): Promise<{ plans: OfferedPlan[]; older: string | undefined }> {
  const plans: OfferedPlan[] = [];
  let at = after;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await readPublic("listPublicPlans", {
      limit: PAGE,
      ...(q && { search: q }),
      ...(at && { cursor: at }),
    });
    const ofRail = (page?.items ?? []).filter(
      (plan) => !rail || railOfPrice(termsOfPlan(plan).price, market) === rail,
    );
    const offered = await readOffers(ofRail);
    plans.push(
      ...offered.filter(({ agentFacts }) => !domain || agentFacts.some((facts) => facts.domain)),
    );
    at = page?.nextCursor;
    if (!at || plans.length >= PAGE / 2) break;
  }
  return { plans, older: at };
}

async function readOffers(plans: readonly Plan[]): Promise<OfferedPlan[]> {
  const agents = await Promise.all(
    plans.map(({ planId }) => readPublic("getPlanAgents", { planId, limit: MOST_AGENTS })),
  );
  const agentIds = agents.flatMap((page) => page?.items.map(({ agentId }) => agentId) ?? []);
  const measured = await readPublic("listMarketFacts", {
    planIds: plans.map(({ planId }) => planId).join(","),
    agentIds: [...new Set(agentIds)].join(","),
  });
  return plans.map((plan, index) => {
    const { items = [], total } = agents[index] ?? {};
    const own = items.flatMap(({ agentId }) => {
      const facts = measured?.agents.find(({ id }) => id === agentId);
      return facts ? [facts] : [];
    });
    return {
      plan,
      agents: { items, total: total ?? items.length },
      facts: measured?.plans.find(({ id }) => id === plan.planId),
      agentFacts: verifiedFirst(own),
    };
  });
}
