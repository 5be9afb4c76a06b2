"use client";

import type { StatementMonths } from "@/lib/console/money.ts";
import { ButtonLink } from "../ui/button-link.tsx";
import { buttonLook } from "../ui/button-look.ts";
import { createTable } from "../ui/data/create-table.tsx";
import { actionsColumn, type DataColumns } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { currencyMoney } from "../ui/values/currency-money.ts";
import { StatePill } from "../ui/values/state-pill.tsx";

type Month = StatementMonths["items"][number];

/** `November 2026`. */
const monthName = (month: string): string =>
  new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01T00:00:00Z`),
  );

type SumsProps = Pick<Month, "sums"> & { member: "in" | "out" | "closing" };

/** One line per currency; what cards paid is not part of the balance. */
function Sums({ sums, member }: SumsProps) {
  if (sums.length === 0) return "–";
  return (
    <ul className="inline-block text-end align-top">
      {sums.map((sum) => (
        <li key={`${sum.section} ${sum.currency}`} className="whitespace-nowrap tabular-nums">
          {currencyMoney(sum[member], sum.currency)}
          {sum.section === "card-payments" && <span className="text-ink-2"> by card</span>}
        </li>
      ))}
    </ul>
  );
}

const columns: DataColumns<Month> = [
  { id: "month", head: "Month", phone: "title", cell: ({ month }) => monthName(month) },
  {
    id: "isClosed",
    label: "Status",
    cell: ({ isClosed }) =>
      isClosed ? (
        <StatePill tone="good">Closed</StatePill>
      ) : (
        <StatePill tone="running">Open</StatePill>
      ),
  },
  { id: "in", label: "In", align: "end", cell: ({ sums }) => <Sums sums={sums} member="in" /> },
  { id: "out", label: "Out", align: "end", cell: ({ sums }) => <Sums sums={sums} member="out" /> },
  {
    id: "closing",
    label: "Closing",
    align: "end",
    cell: ({ sums }) => <Sums sums={sums} member="closing" />,
  },
  actionsColumn(({ month }) => (
    <span className="flex justify-end gap-2">
      {["csv", "pdf"].map((format) => (
        <a
          key={format}
          href={`/balance/statements/${month}/${format}`}
          download
          className={buttonLook({ size: "small" })}
        >
          {format.toUpperCase()}
          <span className="sr-only"> statement of {monthName(month)}</span>
        </a>
      ))}
    </span>
  )),
];

/** The months of an account with their files. */
export const StatementTable = createTable<Month>({
  caption: "Statements",
  columns,
  rowId: ({ month }) => month,
  empty: (
    <Empty
      kind="first"
      title="No statements yet"
      actions={
        <>
          <ButtonLink href="/plans/new">New plan</ButtonLink>
          <ButtonLink href="/explore">Explore plans</ButtonLink>
        </>
      }
    >
      Sell or order a plan: the month’s statement appears here once money or credits move.
    </Empty>
  ),
});
