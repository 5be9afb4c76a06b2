import { readListed } from "@/app/_session/operations.ts";
import { DisputeTable } from "@/components/disputes/dispute-table.tsx";
import { cursorPages, listHref } from "@/components/list-query.ts";
import type { Searched } from "@/components/search-params.ts";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { shownOf } from "@/lib/text/plural.ts";

export const metadata = { title: "Disputes" };

const PAGE_SIZE = 50;
const hrefOf = (cursor?: string) => listHref("/balance/disputes", { cursor });

export default async function DisputesPage({ searchParams }: Searched<{ cursor?: string }>) {
  const { cursor } = await searchParams;
  const { ports } = await getRunning();
  const [{ items, total, nextCursor }, at] = await Promise.all([
    readListed("listDisputes", { limit: PAGE_SIZE, cursor }, hrefOf()),
    ports.clock.now(),
  ]);
  const now = at.toISOString();
  return (
    <>
      <h2 className="sr-only">Disputes</h2>
      <p className="mb-4 text-ink-2">
        Payments reversed by the cardholder’s bank. If you don’t respond in time, you lose the
        dispute.
      </p>
      <DisputeTable
        rows={items.map((dispute) => ({ ...dispute, now }))}
        empty={
          <NothingYet title="No disputes" action="View customers" href="/customers" isFine>
            A dispute appears here with its deadline and the evidence for the bank.
          </NothingYet>
        }
        {...(items.length > 0 && {
          foot: shownOf(items.length, total, "dispute"),
          pages: cursorPages("disputes", hrefOf, { cursor, nextCursor }),
        })}
      />
    </>
  );
}
