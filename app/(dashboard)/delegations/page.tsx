import { read } from "@/app/_session/operations.ts";
import { AlertList } from "@/components/delegations/alert-list.tsx";
import { alertsOf } from "@/components/delegations/delegation-alerts.ts";
import { figuresOf } from "@/components/delegations/delegation-figures.ts";
import { DelegationTable } from "@/components/delegations/delegation-table.tsx";
import { byExpiry, isLive, nameOf } from "@/components/delegations/delegation-text.ts";
import { RevokeAll } from "@/components/delegations/revoke-all.tsx";
import { choiceLinks, listHref } from "@/components/list-query.ts";
import { readTexts, type Searched } from "@/components/search-params.ts";
import { SearchBox } from "@/components/subscriptions/search-box.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Figures } from "@/components/ui/data/figures.tsx";
import { MeterLegend } from "@/components/ui/data/meter.tsx";
import { NothingFits } from "@/components/ui/fields/nothing-fits.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { shownOf } from "@/lib/text/plural.ts";
import { readAll } from "../read-all.ts";
import { revokeAllDelegations, revokeDelegation } from "./actions.ts";
import { describeDelegations, readAllDelegations } from "./read-backing.ts";

export const metadata = { title: "Delegations" };

type Search = { show?: string; q?: string; cursor?: string };
const PAGE_SIZE = 50;

export default async function DelegationsPage({ searchParams }: Searched) {
  const search = readTexts(await searchParams, ["show", "q", "cursor"]);
  const { show = "all", q = "", cursor = "0" } = search;
  const [items, totals, renewals] = await Promise.all([
    readAllDelegations(),
    read("getDelegationTotals", {}),
    readAll((page) => read("listRenewals", page)),
  ]);
  const { now, total } = totals;
  const all = (await describeDelegations(items)).toSorted(byExpiry);
  const live = all.filter(isLive);
  const word = q.trim().toLowerCase();
  const shown = all.filter(
    (each) =>
      (show === "all" || (show === "active") === isLive(each)) &&
      [nameOf(each), each.covers, each.backedBy, each.delegationId].some((text) =>
        text.toLowerCase().includes(word),
      ),
  );
  const counts = countsOf(all.length, live.length);
  const from = PAGE_SIZE * (/^\d{1,4}$/.test(cursor) ? Number(cursor) : 0);
  const rows = shown.slice(from, from + PAGE_SIZE);
  const hrefOf = (more: Search) => listHref("/delegations", { show, q, ...more });
  const pageAt = (start: number) => hrefOf({ cursor: String(start / PAGE_SIZE) });
  return (
    <>
      <PageHeader
        title="Delegations"
        actions={
          <>
            <RevokeAll totals={totals} renewals={renewals.items} revokeAll={revokeAllDelegations} />
            {all.length > 0 && (
              <ButtonLink look="primary" href="/delegations/new">
                New delegation
              </ButtonLink>
            )}
          </>
        }
      >
        What your agents can spend without asking you. You can revoke a delegation at any time.
      </PageHeader>
      <AlertList alerts={alertsOf(totals)} />
      {all.length > 0 && (
        <div className="mb-6">
          <Figures figures={figuresOf(totals)} />
        </div>
      )}
      {all.length > 0 && (
        <div className="mb-4 flex flex-wrap items-center gap-3">
          <SegmentedLinks
            label="Show"
            links={choiceLinks<string>(counts, show, (value) => hrefOf({ show: value }))}
          />
          <SearchBox label="Search delegations" />
          <div className="ms-auto max-lg:ms-0">
            <MeterLegend />
          </div>
        </div>
      )}
      <DelegationTable
        delegations={rows}
        now={now}
        revokeDelegation={revokeDelegation}
        empty={<NoDelegations hasAny={all.length > 0} show={show} q={q} />}
        {...(all.length > 0 && {
          foot: `${shownOf(rows.length, shown.length, "delegation")}${total > all.length ? ` among the newest ${all.length}` : ""}, soonest to expire first`,
          pages: {
            label: "delegations",
            newer: from > 0 ? pageAt(from - PAGE_SIZE) : undefined,
            older: shown.length > from + PAGE_SIZE ? pageAt(from + PAGE_SIZE) : undefined,
          },
        })}
      />
    </>
  );
}

const countsOf = (all: number, live: number) => ({
  all: `All ${all}`,
  active: `Active ${live}`,
  ended: `Inactive ${all - live}`,
});

function NoDelegations({ hasAny, show, q }: { hasAny: boolean; show: string; q: string }) {
  if (hasAny) {
    const title = q
      ? `No delegations match “${q}”`
      : `No ${show === "active" ? "active" : "inactive"} delegations`;
    return <NothingFits title={title} clear="/delegations" />;
  }
  return (
    <NothingYet title="No delegations yet" action="New delegation" href="/delegations/new">
      A delegation is a spending limit: how much your agents can spend, for how long and how often.
    </NothingYet>
  );
}
