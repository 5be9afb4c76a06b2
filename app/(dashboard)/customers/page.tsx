import { readListed } from "@/app/_session/operations.ts";
import { CustomerTable } from "@/components/business/customer-table.tsx";
import { cursorPages, listHref } from "@/components/list-query.ts";
import type { Searched } from "@/components/search-params.ts";
import { SearchBox } from "@/components/subscriptions/search-box.tsx";
import { NothingFits, noMatches } from "@/components/ui/fields/nothing-fits.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { shownOf } from "@/lib/text/plural.ts";

export const metadata = { title: "Customers" };

const MOST_SEARCHED = 100;

export default async function CustomersPage({ searchParams }: Searched) {
  const params = await searchParams;
  const search = typeof params.q === "string" ? params.q.trim().slice(0, MOST_SEARCHED) : "";
  const cursor = typeof params.cursor === "string" ? params.cursor : undefined;
  const hrefOf = (next?: string) => listHref("/customers", { q: search, cursor: next });
  const query = { ...(search && { search }), cursor };
  const page = await readListed("listCustomers", query, hrefOf());
  const hasAny = page.total > 0 || search !== "";
  return (
    <>
      <PageHeader title="Customers">
        Accounts that ordered your plans, with their credits and activity.
      </PageHeader>
      {hasAny && (
        <div className="mb-4">
          <SearchBox label="Search customers" placeholder="Search by name or address" />
        </div>
      )}
      <CustomerTable
        rows={page.items}
        foot={shownOf(page.items.length, page.total, "customer")}
        pages={cursorPages("customers", hrefOf, { cursor, nextCursor: page.nextCursor })}
        empty={
          hasAny ? (
            <NothingFits title={noMatches("customers", search)} clear="/customers" />
          ) : (
            <NothingYet
              title="No customers yet"
              action="Share a plan"
              href="/plans"
              example="/explore"
            >
              Customers appear here after their first order, with their credits, calls and problems.
            </NothingYet>
          )
        }
      />
    </>
  );
}
