"use client";

import type { ReactNode } from "react";
import { plural } from "@/lib/text/plural.ts";
import { DataTable } from "../ui/data/data-table.tsx";
import { columnsOf } from "../ui/data/data-table-columns.ts";
import { Pagination } from "../ui/data/pagination.tsx";
import { Address } from "../ui/values/address.tsx";
import { Credits } from "../ui/values/credits.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";

/** An account that ordered the plan; credits as decimal strings. */
export type SubscriberRow = {
  address: string;
  balance: string;
  held: string;
  used: string;
  orders: number;
  firstOrderAt: string;
  lastOrderAt: string;
};

const column = columnsOf<SubscriberRow>();
const columns = column.columns([
  column.accessor("address", {
    header: "Subscriber",
    cell: ({ getValue }) => <Address value={getValue()} name="subscriber" />,
    meta: { phone: "title", hasActions: true },
  }),
  column.accessor("orders", {
    header: "Orders",
    cell: ({ getValue }) => groupDigits(getValue()),
    meta: { align: "end", phoneLabel: "Orders" },
  }),
  column.accessor("used", {
    header: "Credits used",
    cell: ({ getValue }) => <Credits credits={getValue()} />,
    meta: { align: "end", phone: "end", phoneLabel: "Used" },
  }),
  column.accessor("balance", {
    header: "Credits left",
    cell: ({ row }) => (
      <>
        <Credits credits={row.original.balance} />
        {row.original.held !== "0" && (
          <span className="text-ink-2"> ({groupDigits(row.original.held)} reserved)</span>
        )}
      </>
    ),
    meta: { align: "end", phoneLabel: "Left" },
  }),
  column.accessor("lastOrderAt", {
    header: "Last order",
    cell: ({ getValue }) => <TimeAgo at={getValue()} />,
    meta: { align: "end", phone: "end" },
  }),
]);

type SubscriberTableProps = {
  rows: SubscriberRow[];
  total: number;
  newer?: string;
  older?: string;
  empty: ReactNode;
};

/** The subscribers of a plan and the credits they have left. */
export function SubscriberTable({ rows, total, newer, older, empty }: SubscriberTableProps) {
  return (
    <DataTable
      caption="Subscribers"
      columns={columns}
      rows={rows}
      rowId={({ address }) => address}
      empty={empty}
      foot={rows.length > 0 && plural(total, "subscriber")}
      footActions={
        (newer || older) && (
          <Pagination label="subscribers" {...(newer && { newer })} {...(older && { older })} />
        )
      }
    />
  );
}
