"use client";

import type { Subscription } from "@turnpike/payments/protocol";
import { type ReactNode, useMemo } from "react";
import { ButtonLink } from "../ui/button-link.tsx";
import { DataTable } from "../ui/data/data-table.tsx";
import { columnsOf } from "../ui/data/data-table-columns.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { leftText } from "./subscription-text.ts";

type Row = Subscription & { now: string };

const column = columnsOf<Row>();
const columns = column.columns([
  column.accessor("planName", {
    header: "Plan",
    meta: { phone: "title", opens: true, className: "font-medium min-w-40 max-sm:min-w-0" },
  }),
  column.display({
    id: "left",
    header: "Left",
    meta: { align: "end", phoneLabel: "Left" },
    cell: ({ row: { original } }) => leftText(original),
  }),
  column.digits("held", { header: "Reserved", phone: "hidden" }),
  column.digits("requests30d", { header: "Calls, 30 days", phoneLabel: "Calls, 30 days" }),
  column.digits("activeTokens", { header: "Tokens", phoneLabel: "Tokens" }),
  column.accessor("endsAt", {
    header: "Expires",
    meta: { phoneLabel: "Expires" },
    cell: ({ getValue, row }) => {
      const at = getValue();
      return at ? <TimeAgo at={at} now={row.original.now} /> : "Never";
    },
  }),
  column.display({
    id: "status",
    header: "Status",
    cell: ({ row: { original } }) =>
      original.isActive ? (
        <StatePill state="Active" />
      ) : (
        <StatePill
          state={original.endsAt && original.endsAt < original.now ? "Expired" : "Exhausted"}
        />
      ),
  }),
  column.actions((row) => (
    <ButtonLink
      size="small"
      href={row.isActive ? `/tokens/new?plan=${row.planId}` : `/checkout/${row.planId}`}
      aria-label={`${row.isActive ? "Mint access token for" : "Buy credits for"} ${row.planName}`}
    >
      {row.isActive ? "Mint access token" : "Buy credits"}
    </ButtonLink>
  )),
]);

type SubscriptionTableProps = {
  subscriptions: Subscription[];
  now: string;
  empty: ReactNode;
  foot?: ReactNode;
  footActions?: ReactNode;
};

/** The plans an account has ordered, and what is left of them. */
export function SubscriptionTable({ subscriptions, now, ...table }: SubscriptionTableProps) {
  const rows = useMemo(() => subscriptions.map((each) => ({ ...each, now })), [subscriptions, now]);
  return (
    <DataTable
      caption="Subscriptions"
      columns={columns}
      rows={rows}
      rowId={({ planId }) => planId}
      hrefOf={({ planId }) => `/subscriptions/${planId}`}
      {...table}
    />
  );
}
