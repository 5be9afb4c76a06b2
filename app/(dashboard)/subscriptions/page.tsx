import type { Subscription } from "@turnpike/payments/protocol";
import { read, readListed } from "@/app/_session/operations.ts";
import { choiceLinks, cursorPages, listHref } from "@/components/list-query.ts";
import { readTexts, type Searched } from "@/components/search-params.ts";
import { RenewalNotice } from "@/components/subscriptions/renewal-card.tsx";
import { SearchBox } from "@/components/subscriptions/search-box.tsx";
import { SubscriptionTable } from "@/components/subscriptions/subscription-table.tsx";
import { withDistinctNames } from "@/components/subscriptions/with-distinct-names.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { NothingFits, noMatches } from "@/components/ui/fields/nothing-fits.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { TextLink } from "@/components/ui/text-link.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { shownOf } from "@/lib/text/plural.ts";
import { readAll, readMatching } from "../read-all.ts";

export const metadata = { title: "Subscriptions" };

const NAMES = ["cursor", "show", "q"] as const;
type Search = { [name in (typeof NAMES)[number]]?: string | undefined };
const PAGE_SIZE = 50;
const LABELS: Record<string, string> = { all: "All", active: "Active", ended: "Inactive" };

export default async function SubscriptionsPage({ searchParams }: Searched) {
  const search = readTexts(await searchParams, NAMES);
  const hrefOf = (change: Search) => listHref("/subscriptions", { ...search, ...change });
  const { cursor, show = "all", q = "" } = search;
  const { ports } = await getRunning();
  const [renewals, { items, nextCursor, total, first, isWhole }, now] = await Promise.all([
    readAll((page) => read("listRenewals", page)),
    readSubscriptions(search, hrefOf({ cursor: undefined })),
    ports.clock.now(),
  ]);
  return (
    <>
      <PageHeader
        title="Subscriptions"
        actions={
          first && (
            <ButtonLink look="primary" href="/explore">
              Explore plans
            </ButtonLink>
          )
        }
      >
        The plans you ordered, with their remaining credits.
      </PageHeader>
      <div className="grid gap-3 empty:hidden not-empty:mb-4">
        {renewals.items
          .filter((each) => each.state !== "off" && (each.isSoon || each.failure || each.obstacle))
          .map((renewal) => (
            <section key={renewal.planId} aria-label={`Renewal of ${renewal.planName}`}>
              <TextLink href={`/subscriptions/${renewal.planId}#renewal`}>
                {renewal.planName}
              </TextLink>
              <RenewalNotice renewal={renewal} />
            </section>
          ))}
      </div>
      {first && (
        <div className="mb-4 flex flex-wrap items-center gap-3">
          <SegmentedLinks
            label="Show"
            links={choiceLinks(LABELS, show, (value) => hrefOf({ show: value, cursor: undefined }))}
          />
          <SearchBox label="Search subscriptions" />
        </div>
      )}
      <SubscriptionTable
        rows={withDistinctNames(items).map((each) => ({ ...each, now: now.toISOString() }))}
        empty={<NoSubscriptions isFiltered={first !== undefined} isWhole={isWhole} q={q} />}
        foot={`${shownOf(items.length, total, "subscription")}${isWhole ? "" : " among the first 1,000"}`}
        pages={cursorPages("subscriptions", (next) => hrefOf({ cursor: next }), {
          cursor,
          nextCursor,
        })}
      />
    </>
  );
}

/** A page of the subscriptions; those of one state or name are looked for in all pages. */
async function readSubscriptions({ cursor, show = "all", q = "" }: Search, firstPage: string) {
  const readPage = (query: { limit: number; cursor?: string }) =>
    readListed("listSubscriptions", query, firstPage);
  const query = { limit: PAGE_SIZE, ...(cursor && { cursor }) };
  const word = q.trim().toLowerCase();
  if (show !== "all" || word) {
    const matches = ({ isActive, planName, planId }: Subscription) =>
      (show === "all" || (show === "active") === isActive) &&
      (planName.toLowerCase().includes(word) || planId.includes(word));
    return readMatching(readPage, { ...query, matches });
  }
  const page = await readPage(query);
  return { ...page, isWhole: true, first: page.items[0] };
}

type NoSubscriptionsProps = {
  isFiltered: boolean;
  isWhole: boolean;
  q: string;
};

function NoSubscriptions({ isFiltered, isWhole, q }: NoSubscriptionsProps) {
  if (isFiltered) {
    return (
      <NothingFits
        title={noMatches("subscriptions", q)}
        clear="/subscriptions"
        searched={!isWhole && "first 1,000 subscriptions"}
      />
    );
  }
  return (
    <NothingYet title="No subscriptions yet" action="Explore plans" href="/explore">
      Order a plan to get credits. Each call to its agents uses one or more.
    </NothingYet>
  );
}
