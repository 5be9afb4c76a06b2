"use client";

import { createTable } from "../ui/data/create-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import type { PlanRow } from "./plan-list.ts";
import { RAIL_WORDS } from "./rails.ts";

const columns: DataColumns<PlanRow> = [
  {
    id: "name",
    head: "Name",
    phone: "title",
    opens: true,
    className: "wrap-anywhere min-w-40 font-medium",
  },
  {
    id: "price",
    label: "Price",
    className: "whitespace-nowrap tabular-nums max-sm:whitespace-normal",
  },
  { id: "grant", label: "Credits", className: "wrap-anywhere tabular-nums" },
  { id: "rail", label: "Paid with", cell: ({ rail }) => RAIL_WORDS[rail] },
  { id: "state", label: "State", cell: ({ state }) => <StatePill state={state} /> },
  { id: "createdAt", head: "Created", isTime: true, align: "end", phone: "hidden" },
];

export const PlanTable = createTable<PlanRow>({
  caption: "Plans",
  columns,
  rowId: ({ planId }) => planId,
  hrefOf: ({ planId }) => `/plans/${planId}`,
});
