import type { TokenSummary } from "@turnpike/payments/protocol";
import { readListed } from "@/app/_session/operations.ts";
import { choiceLinks, cursorPages, listHref } from "@/components/list-query.ts";
import { readTexts, type Searched } from "@/components/search-params.ts";
import { TokenTable } from "@/components/tokens/token-table.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { FilterChips } from "@/components/ui/fields/filter-chips.tsx";
import { NothingFits } from "@/components/ui/fields/nothing-fits.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { shortenIdentifier } from "@/components/ui/values/shorten-identifier.ts";
import { shownOf } from "@/lib/text/plural.ts";
import { readMatching } from "../read-all.ts";
import { revokeToken } from "./actions.ts";

export const metadata = { title: "Tokens" };

const NAMES = ["cursor", "plan", "delegation", "show"] as const;
type Search = { [name in (typeof NAMES)[number]]?: string | undefined };
const PAGE_SIZE = 50;

export default async function TokensPage({ searchParams }: Searched) {
  const search = readTexts(await searchParams, NAMES);
  const hrefOf = (change: Search) => listHref("/tokens", { ...search, ...change });
  const { cursor, plan, delegation, show = "all" } = search;
  const tokens = await readTokens(search, hrefOf({ cursor: undefined }));
  const { items, nextCursor, total, first, isWhole } = tokens;
  const isFiltered = plan !== undefined || delegation !== undefined || show !== "all";
  return (
    <>
      <PageHeader
        title="Tokens"
        actions={
          <>
            <ButtonLink href="/tokens/inspect">Inspect a token</ButtonLink>
            {(items.length > 0 || isFiltered) && (
              <ButtonLink look="primary" href={`/tokens/new${plan ? `?plan=${plan}` : ""}`}>
                Mint access token
              </ButtonLink>
            )}
          </>
        }
      >
        Agents accept calls that carry a token and charge them to your credits. A token is shown
        once, when minted.
      </PageHeader>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <SegmentedLinks
          label="Show"
          links={choiceLinks(LABELS, show, (value) => hrefOf({ show: value, cursor: undefined }))}
        />
        <FilterChips chips={chipsOf(search, first)} />
      </div>
      <TokenTable
        tokens={items}
        revokeToken={revokeToken}
        empty={<NoTokens isFiltered={isFiltered} isWhole={isWhole} />}
        foot={`${shownOf(items.length, total, "token")}${isWhole ? "" : " among the newest 1,000"}`}
        pages={cursorPages("tokens", (next) => hrefOf({ cursor: next }), { cursor, nextCursor })}
      />
    </>
  );
}

/** A page of the tokens; those of one state are looked for in all pages. */
async function readTokens({ cursor, plan, delegation, show = "all" }: Search, firstPage: string) {
  const readPage = (query: { limit: number; cursor?: string }) => {
    const scope = {
      ...(plan && { planId: plan }),
      ...(delegation && { delegationId: delegation }),
    };
    return readListed("listTokens", { ...scope, ...query }, firstPage);
  };
  const query = { limit: PAGE_SIZE, ...(cursor && { cursor }) };
  if (show !== "all") {
    const matches = ({ status }: TokenSummary) => (show === "active") === (status === "Active");
    return readMatching(readPage, { ...query, matches });
  }
  const page = await readPage(query);
  return { ...page, isWhole: true, first: page.items[0] };
}

const LABELS: Record<string, string> = { all: "All", active: "Active", ended: "Inactive" };

/** The filters of the address, each with the list without it. */
function chipsOf({ plan, delegation, show }: Search, first: TokenSummary | undefined) {
  const without = (change: Search) => listHref("/tokens", { plan, delegation, show, ...change });
  return [
    plan !== undefined && {
      key: "plan",
      field: "Plan",
      value: first?.planName ?? plan,
      remove: without({ plan: undefined }),
    },
    delegation !== undefined && {
      key: "delegation",
      field: "Delegation",
      value: first?.delegationName ?? shortenIdentifier(delegation),
      remove: without({ delegation: undefined }),
    },
  ].filter((chip) => chip !== false);
}

function NoTokens({ isFiltered, isWhole }: { isFiltered: boolean; isWhole: boolean }) {
  if (isFiltered) {
    const searched = !isWhole && "newest 1,000 tokens";
    return <NothingFits title="No matching tokens" clear="/tokens" searched={searched} />;
  }
  return (
    <NothingYet title="No access tokens yet" action="Mint access token" href="/tokens/new">
      Mint a token to call agents. Its calls are charged to your plan.
    </NothingYet>
  );
}
