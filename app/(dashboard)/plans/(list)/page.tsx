import { read } from "@/app/_session/operations.ts";
import { changedHref } from "@/components/list-query.ts";
import { PlanFilters } from "@/components/plans/plan-filters.tsx";
import {
  type PlanListQuery,
  readPlanListQuery,
  selectPlans,
} from "@/components/plans/plan-list.ts";
import { rowOfPlan } from "@/components/plans/plan-row.ts";
import { PlanTable } from "@/components/plans/plan-table.tsx";
import type { Searched } from "@/components/search-params.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { NothingFits, noMatches } from "@/components/ui/fields/nothing-fits.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { plural } from "@/lib/text/plural.ts";
import { readAll } from "../../read-all.ts";
import { readMarket } from "../read-market.ts";

export const metadata = { title: "Plans" };

export default async function PlansPage({ searchParams }: Searched) {
  const query = readPlanListQuery(await searchParams);
  const [{ items: plans, isWhole }, market] = await Promise.all([
    readAll((page) => read("listPlans", page)),
    readMarket(),
  ]);
  const page = selectPlans(
    plans.map((plan) => rowOfPlan(plan, market)),
    query,
  );
  const hasAny = plans.length > 0;
  const hrefAfter = (after: string | undefined) =>
    after === undefined ? undefined : changedHref("/plans", query, { after });
  return (
    <>
      <PageHeader
        title="Plans"
        actions={
          hasAny && (
            <ButtonLink look="primary" href="/plans/new">
              New plan
            </ButtonLink>
          )
        }
      >
        A plan sets a price and the credits it buys.
      </PageHeader>
      {hasAny && <PlanFilters path="/plans" query={query} hasStates hasSorts />}
      <PlanTable
        rows={page.rows}
        foot={footOf(page.total, isWhole)}
        pages={{ label: "plans", newer: hrefAfter(page.newer), older: hrefAfter(page.older) }}
        empty={
          hasAny ? (
            <NothingHere query={query} isWhole={isWhole} />
          ) : (
            <NothingYet title="No plans yet" action="New plan" href="/plans/new" example="/explore">
              Create a plan to set a price for your agent’s calls. Subscribers order it to get
              credits.
            </NothingYet>
          )
        }
      />
    </>
  );
}

const footOf = (total: number, isWhole: boolean) =>
  `${plural(total, "plan")}${isWhole ? "" : " among your newest 1,000"}`;

function NothingHere({ query, isWhole }: { query: PlanListQuery; isWhole: boolean }) {
  return (
    <NothingFits
      title={noMatches("plans", query.q)}
      clear="/plans"
      searched={!isWhole && "newest 1,000 plans"}
      filters={[query.state && `state ${query.state}`, query.rail && `paid with ${query.rail}`]}
    />
  );
}
