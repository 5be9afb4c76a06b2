"use client";

import type { ReactNode } from "react";
import { plural } from "@/lib/text/plural.ts";
import { DataTable } from "../ui/data/data-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
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

const columns: DataColumns<SubscriberRow> = [
  {
    id: "address",
    head: "Subscriber",
    cell: ({ address }) => <Address value={address} name="subscriber" />,
    phone: "title",
    hasActions: true,
  },
  {
    id: "orders",
    head: "Orders",
    cell: ({ orders }) => groupDigits(orders),
    align: "end",
    phoneLabel: "Orders",
  },
  {
    id: "used",
    head: "Credits used",
    cell: ({ used }) => <Credits credits={used} />,
    align: "end",
    phone: "end",
    phoneLabel: "Used",
  },
  {
    id: "balance",
    head: "Credits left",
    cell: (row) => (
      <>
        <Credits credits={row.balance} />
        {row.held !== "0" && (
          <span className="text-ink-2"> ({groupDigits(row.held)} reserved)</span>
        )}
      </>
    ),
    align: "end",
    phoneLabel: "Left",
  },
  {
    id: "lastOrderAt",
    head: "Last order",
    cell: ({ lastOrderAt }) => <TimeAgo at={lastOrderAt} />,
    align: "end",
    phone: "end",
  },
];

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
