import type { RefundStatus } from "@turnpike/payments/protocol";
import { read, readListed } from "@/app/_session/operations.ts";
import { choiceLinks, cursorPages, listHref } from "@/components/list-query.ts";
import { RefundTable } from "@/components/refunds/refund-table.tsx";
import { REFUND_STATES } from "@/components/refunds/refund-text.ts";
import type { Searched } from "@/components/search-params.ts";
import { NothingFits } from "@/components/ui/fields/nothing-fits.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { TextLink } from "@/components/ui/text-link.tsx";
import { shownOf } from "@/lib/text/plural.ts";
import { readNames } from "../../../activity/read-names.ts";
import * as actions from "../../refund-actions.ts";

export const metadata = { title: "Refunds" };

const PATH = "/balance/refunds";
const STATES: readonly RefundStatus[] = ["requested", "open", "paid", "declined", "refused"];

export default async function RefundsPage({
  searchParams,
}: Searched<{ show?: string; cursor?: string }>) {
  const { show, cursor } = await searchParams;
  const status = STATES.find((state) => state === show);
  const hrefOf = (next?: string) => listHref(PATH, { show: status, cursor: next });
  const [page, names, ...counts] = await Promise.all([
    readListed("listRefunds", { role: "builder", ...(status && { status }), cursor }, hrefOf()),
    readNames(),
    ...STATES.map((state) => read("listRefunds", { role: "builder", status: state, limit: 1 })),
  ]);
  const hasAny = counts.some(({ total }) => total > 0);
  const words = Object.fromEntries(
    STATES.map((state, at) => [state, `${REFUND_STATES[state].word} ${counts[at]?.total ?? 0}`]),
  );
  const links = choiceLinks<string>({ all: "All", ...words }, status ?? "all", (state) =>
    listHref(PATH, { show: state }),
  );
  return (
    <>
      <h2 className="sr-only">Refunds</h2>
      <p className="mb-4 text-ink-2">
        Requests from subscribers and refunds you made. Unanswered requests are declined after 14
        days. Chargebacks are listed under <TextLink href="/balance/disputes">Disputes</TextLink>.
      </p>
      {hasAny && (
        <div className="mb-4">
          <SegmentedLinks label="Show" links={links} />
        </div>
      )}
      <RefundTable
        refunds={page.items.map((row) => ({ ...row, planName: names.plans[row.planId] ?? "Plan" }))}
        actions={actions}
        empty={
          hasAny ? (
            <NothingFits title="No refunds in this state" clear={PATH} />
          ) : (
            <NothingYet title="No refunds yet" action="View customers" href="/customers" isFine>
              Refunds appear here once a subscriber asks for one, or you refund an order.
            </NothingYet>
          )
        }
        {...(page.items.length > 0 && {
          foot: shownOf(page.items.length, page.total, "refund"),
          pages: cursorPages("refunds", hrefOf, { cursor, nextCursor: page.nextCursor }),
        })}
      />
    </>
  );
}
