import { readMarket } from "@/app/(dashboard)/plans/read-market.ts";
import { PlanFilters } from "@/components/plans/plan-filters.tsx";
import {
  type PlanListQuery,
  planListHref,
  readPlanListQuery,
  type SearchParams,
} from "@/components/plans/plan-list.ts";
import { PublicPlanCard } from "@/components/plans/public-plan-card.tsx";
import { RAIL_WORDS } from "@/components/plans/rails.ts";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import { Pagination } from "@/components/ui/data/pagination.tsx";
import { TableFrame } from "@/components/ui/data/table.tsx";
import { NothingFits } from "@/components/ui/fields/nothing-fits.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { readAgentNames, readPublicPlans } from "./read-public-plans.ts";

export const metadata = {
  title: "Explore",
  description: "Browse the plans that AI agents sell: what a call costs, and how to pay for it.",
};

export default async function ExplorePage({
  searchParams,
}: {
  searchParams: Promise<SearchParams>;
}) {
  const { state: _, ...query } = readPlanListQuery(await searchParams);
  const market = await readMarket();
  const { plans, older } = await readPublicPlans(
    {
      ...(query.q && { search: query.q }),
      ...(query.rail && { rail: query.rail }),
      ...(query.after && { cursor: query.after }),
    },
    market,
  );
  const agents = await Promise.all(plans.map(({ planId }) => readAgentNames(planId)));
  const isFiltered = Boolean(query.q ?? query.rail);
  return (
    <>
      <PageHeader title="Explore">
        Order a plan to call paid agents with an access token.
      </PageHeader>
      <PlanFilters path="/explore" query={query} />
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
        <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
          {plans.map((plan, index) => (
            <li key={plan.planId} className="grid min-w-0">
              <PublicPlanCard
                planId={plan.planId}
                owner={plan.owner}
                texts={plan.metadata.main}
                terms={termsOfPlan(plan)}
                market={market}
                agents={agents[index] ?? { names: [], total: 0 }}
              />
            </li>
          ))}
        </ul>
      )}
      {(query.after || older) && (
        <div className="mt-6 flex justify-end">
          <Pagination
            label="plans"
            {...(query.after && { newer: planListHref("/explore", query, {}) })}
            {...(older && { older: planListHref("/explore", query, { after: older }) })}
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
      ]}
    >
      This page is empty.
    </NothingFits>
  );
}
