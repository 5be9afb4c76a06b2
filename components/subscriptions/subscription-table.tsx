"use client";

import type { Subscription } from "@turnpike/payments/protocol";
import { ButtonLink } from "../ui/button-link.tsx";
import { createTable } from "../ui/data/create-table.tsx";
import { actionsColumn, type DataColumns } from "../ui/data/data-table-columns.ts";
import { groupDigits } from "../ui/values/money-text.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import { actionOf, leftText, stateOf } from "./subscription-text.ts";

/** A subscription at the service's time. */
type Row = Subscription & { now: string };

const columns: DataColumns<Row> = [
  {
    id: "planName",
    head: "Plan",
    phone: "title",
    opens: true,
    className: "font-medium min-w-40 max-sm:min-w-0",
  },
  {
    id: "left",
    label: "Credits left",
    align: "end",
    cell: (row) => (row.accessLimit === "time" ? leftText(row) : groupDigits(row.available)),
  },
  { id: "held", isCount: true, head: "Reserved", phone: "hidden" },
  { id: "requests30d", isCount: true, label: "Calls, 30 days" },
  { id: "activeTokens", isCount: true, label: "Tokens" },
  { id: "endsAt", label: "Expires", className: "sm:ps-6", isTime: true, none: "Never" },
  {
    id: "status",
    head: "Status",
    cell: (row) => <StatePill state={stateOf(row, row.now)} />,
  },
  actionsColumn((row) => (
    <ButtonLink
      size="small"
      href={row.isActive ? `/tokens/new?plan=${row.planId}` : `/checkout/${row.planId}`}
      aria-label={`${actionOf(row)} for ${row.planName}`}
    >
      {actionOf(row)}
    </ButtonLink>
  )),
];

/** The plans an account has ordered, and what is left of them. */
export const SubscriptionTable = createTable<Row>({
  caption: "Subscriptions",
  columns,
  rowId: ({ planId }) => planId,
  hrefOf: ({ planId }) => `/subscriptions/${planId}`,
});
