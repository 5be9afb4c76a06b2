import type { Agent, Plan } from "@turnpike/payments/protocol";
import { readPublic } from "@/app/_session/operations.ts";
import { readMarket } from "@/app/(dashboard)/plans/read-market.ts";
import { changedHref } from "@/components/list-query.ts";
import { verifiedFirst } from "@/components/market/facts-text.ts";
import type { Market } from "@/components/plans/market.ts";
import { PlanFilters } from "@/components/plans/plan-filters.tsx";
import { type PlanListQuery, readPlanListQuery } from "@/components/plans/plan-list.ts";
import { railOfPrice } from "@/components/plans/plan-terms.ts";
import { PublicPlanCard } from "@/components/plans/public-plan-card.tsx";
import { RAIL_WORDS } from "@/components/plans/rails.ts";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import type { Searched } from "@/components/search-params.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Pagination } from "@/components/ui/data/pagination.tsx";
import { TableFrame } from "@/components/ui/data/table.tsx";
import { NothingFits } from "@/components/ui/fields/nothing-fits.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import type { AgentMarketFacts, MarketFacts } from "@/lib/console/market-facts.ts";

export const metadata = {
  title: "Explore",
  description:
    "Browse the plans that AI agents sell: what a call costs, how many calls settle, and how fast they answer.",
};

export default async function ExplorePage({ searchParams }: Searched) {
  const { state: _, ...query } = readPlanListQuery(await searchParams);
  const market = await readMarket();
  const { plans, older } = await readPublicPlans(query, market);
  const isFiltered = Boolean(query.q ?? query.rail ?? query.domain);
  return (
    <>
      <PageHeader
        title="Explore plans"
        actions={
          <ButtonLink href="/agents/new" prefetch={false}>
            List your agent
          </ButtonLink>
        }
      >
        Order a plan to call its agents. Figures are from customers’ paid calls in the last 30 days;
        sellers can’t edit or buy them.
      </PageHeader>
      <PlanFilters path="/explore" query={query} hasDomains />
      {plans.length === 0 ? (
        <TableFrame>
          {isFiltered || query.after ? (
            <NothingHere query={query} />
          ) : (
            <NothingYet title="No plans yet" action="New plan" href="/plans/new">
              Listed plans appear here for everyone.
            </NothingYet>
          )}
        </TableFrame>
      ) : (
        <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3 2xl:grid-cols-4">
          {plans.map((offered) => (
            <li key={offered.plan.planId} className="grid min-w-0">
              <PublicPlanCard {...offered} market={market} />
            </li>
          ))}
        </ul>
      )}
      {(query.after || older) && (
        <div className="mt-6 flex justify-end">
          <Pagination
            label="plans"
            {...(query.after && { newest: changedHref("/explore", query, {}) })}
            {...(older && { older: changedHref("/explore", query, { after: older }) })}
          />
        </div>
      )}
    </>
  );
}

function NothingHere({ query }: { query: PlanListQuery }) {
  return (
    <NothingFits
      title="No matching plans"
      clear="/explore"
      filters={[
        query.q && `search “${query.q}”`,
        query.rail && `paid with ${RAIL_WORDS[query.rail]}`,
        query.domain && "with a verified domain",
      ]}
    >
      This page is empty.
    </NothingFits>
  );
}

const PAGE = 24;
/** How many pages of the service are read to fill one page of a filter. */
const MOST_PAGES = 20;
const MOST_AGENTS = 2;

/** A listed plan with its first agents, how many there are, and what was measured of them. */
type OfferedPlan = {
  plan: Plan;
  agents: { items: Agent[]; total: number };
  facts: MarketFacts | undefined;
  /** Of the plan's agents, the one with a proved domain first. */
  agentFacts: AgentMarketFacts[];
};

type PublicPlansQuery = Pick<PlanListQuery, "q" | "rail" | "domain" | "after">;

/** Listed plans, newest first. The service has no such filters, so pages are read until one is full. */
async function readPublicPlans(
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
