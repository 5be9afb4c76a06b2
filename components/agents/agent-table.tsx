"use client";

import type { ReactNode } from "react";
import { DataTable } from "../ui/data/data-table.tsx";
import { columnsOf } from "../ui/data/data-table-columns.ts";
import { Pagination } from "../ui/data/pagination.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import type { AgentRow } from "./agent-list.ts";

const column = columnsOf<AgentRow>();
const columns = column.columns([
  column.accessor("name", {
    header: "Name",
    meta: { phone: "title", opens: true, className: "wrap-anywhere min-w-40 font-medium" },
  }),
  column.accessor("host", {
    header: "Host",
    cell: ({ getValue }) => <code className="text-small">{getValue()}</code>,
    meta: { className: "wrap-anywhere" },
  }),
  column.accessor("paid", {
    header: "Paid endpoints",
    meta: { align: "end", phone: "end", phoneLabel: "Paid" },
  }),
  column.accessor("open", { header: "Open", meta: { align: "end", phoneLabel: "Open" } }),
  column.accessor("plans", {
    header: "Plans",
    cell: ({ getValue }) =>
      getValue() === 0 ? <span className="text-ink-2">None yet</span> : getValue(),
    meta: { align: "end", phone: "end", phoneLabel: "Plans" },
  }),
  column.accessor("createdAt", {
    header: "Registered",
    cell: ({ getValue }) => <TimeAgo at={getValue()} />,
    meta: { align: "end", phone: "hidden" },
  }),
]);

type AgentTableProps = {
  rows: AgentRow[];
  foot?: string;
  newer?: string;
  older?: string;
  empty?: ReactNode;
  isLoading?: boolean;
};

/** The account's agents; each row links to its agent. */
export function AgentTable({ rows, foot, newer, older, empty, isLoading }: AgentTableProps) {
  return (
    <DataTable
      caption="Agents"
      columns={columns}
      rows={rows}
      rowId={({ agentId }) => agentId}
      hrefOf={({ agentId }) => `/agents/${agentId}`}
      empty={empty}
      isLoading={isLoading}
      foot={rows.length > 0 && foot}
      footActions={
        (newer !== undefined || older !== undefined) && (
          <Pagination label="agents" {...(newer && { newer })} {...(older && { older })} />
        )
      }
    />
  );
}
