"use client";

import { createTable } from "../ui/data/create-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import type { AgentRow } from "./agent-list.ts";

const columns: DataColumns<AgentRow> = [
  {
    id: "name",
    head: "Name",
    phone: "title",
    opens: true,
    className: "wrap-anywhere min-w-40 font-medium",
  },
  {
    id: "host",
    head: "Host",
    cell: ({ host }) => <code className="text-small">{host}</code>,
    className: "wrap-anywhere",
  },
  { id: "paid", label: "Paid endpoints", align: "end" },
  { id: "open", head: "Free", align: "end", phoneLabel: "Free endpoints" },
  {
    id: "plans",
    label: "Plans",
    cell: ({ plans }) => (plans === 0 ? <span className="text-ink-2">None yet</span> : plans),
    align: "end",
    phone: "end",
  },
  { id: "createdAt", head: "Registered", isTime: true, align: "end", phone: "hidden" },
];

export const AgentTable = createTable<AgentRow>({
  caption: "Agents",
  columns,
  rowId: ({ agentId }) => agentId,
  hrefOf: ({ agentId }) => `/agents/${agentId}`,
});
