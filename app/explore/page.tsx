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
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Pagination } from "@/components/ui/data/pagination.tsx";
import { TableFrame } from "@/components/ui/data/table.tsx";
import { NothingFits } from "@/components/ui/fields/nothing-fits.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { readPublicPlans } from "./read-public-plans.ts";

export const metadata = {
  title: "Explore",
  description:
    "Browse the plans that AI agents sell: what a call costs, how many calls settle, and how fast they answer.",
};

export default async function ExplorePage({
  searchParams,
}: {
  searchParams: Promise<SearchParams>;
}) {
  const { state: _, ...query } = readPlanListQuery(await searchParams);
  const market = await readMarket();
  const { plans, older } = await readPublicPlans(query, market);
  const isFiltered = Boolean(query.q ?? query.rail ?? query.domain);
  return (
    <>
      <PageHeader
        title="Explore agents"
        actions={
          <ButtonLink href="/agents/new" prefetch={false}>
            List your agent
          </ButtonLink>
        }
      >
        Every figure is measured from paid calls of the last 30 days, without the seller’s own calls
        and test calls. Sellers can’t edit or buy these figures.
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
        query.domain && "with a verified domain",
      ]}
    >
      This page is empty.
    </NothingFits>
  );
}
