"use client";

import type { ReactNode } from "react";
import { DataTable } from "../ui/data/data-table.tsx";
import { columnsOf } from "../ui/data/data-table-columns.ts";
import { Pagination } from "../ui/data/pagination.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import type { PlanRow } from "./plan-list.ts";
import { RAIL_WORDS } from "./rails.ts";

const column = columnsOf<PlanRow>();
const columns = column.columns([
  column.accessor("name", {
    header: "Name",
    meta: { phone: "title", opens: true, className: "wrap-anywhere min-w-40 font-medium" },
  }),
  column.accessor("price", {
    header: "Price",
    meta: { className: "whitespace-nowrap tabular-nums max-sm:whitespace-normal" },
  }),
  column.accessor("grant", {
    header: "An order grants",
    meta: { phone: "end", className: "wrap-anywhere tabular-nums" },
  }),
  column.accessor("rail", {
    header: "Paid with",
    cell: ({ getValue }) => RAIL_WORDS[getValue()],
  }),
  column.accessor("state", {
    header: "State",
    cell: ({ getValue }) => <StatePill state={getValue()} />,
    meta: { phone: "end" },
  }),
  column.accessor("createdAt", {
    header: "Created",
    cell: ({ getValue }) => <TimeAgo at={getValue()} />,
    meta: { align: "end", phone: "hidden" },
  }),
]);

type PlanTableProps = {
  rows: PlanRow[];
  foot: string;
  newer?: string;
  older?: string;
  empty: ReactNode;
};

/** The account's plans; each row links to its plan. */
export function PlanTable({ rows, foot, newer, older, empty }: PlanTableProps) {
  return (
    <DataTable
      caption="Plans"
      columns={columns}
      rows={rows}
      rowId={({ planId }) => planId}
      hrefOf={({ planId }) => `/plans/${planId}`}
      empty={empty}
      foot={rows.length > 0 && foot}
      footActions={
        (newer !== undefined || older !== undefined) && (
          <Pagination label="plans" {...(newer && { newer })} {...(older && { older })} />
        )
      }
    />
  );
}

/** Shown while plans are loading. */
export function PlanTableSkeleton() {
  return (
    <DataTable
      caption="Plans"
      columns={columns}
      rows={[]}
      rowId={({ planId }) => planId}
      isLoading
    />
  );
}
