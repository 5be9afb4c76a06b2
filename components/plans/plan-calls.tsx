"use client";

import type { MoneyStatus } from "@turnpike/payments/protocol";
import Link from "next/link";
import { ButtonLink } from "../ui/button-link.tsx";
import { DataTable } from "../ui/data/data-table.tsx";
import { columnsOf } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { Section } from "../ui/page-header.tsx";
import { Credits } from "../ui/values/credits.tsx";
import { HttpStatus } from "../ui/values/http-status.tsx";
import { MoneyStatus as MoneyPill } from "../ui/values/money-status.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";

export type CallRow = {
  agentRequestId: string;
  at: string;
  method: string | undefined;
  path: string | undefined;
  httpStatus: number | undefined;
  moneyStatus: MoneyStatus;
  credits: string;
};

const column = columnsOf<CallRow>();
const columns = column.columns([
  column.accessor("at", {
    header: "Time",
    cell: ({ getValue }) => <TimeAgo at={getValue()} />,
    meta: { phone: "end" },
  }),
  column.accessor("path", {
    header: "Endpoint",
    cell: ({ row }) => (
      <span className="wrap-anywhere font-mono text-small">
        {row.original.path ? `${row.original.method ?? ""} ${row.original.path}` : "not reported"}
      </span>
    ),
    meta: { phone: "title", opens: true },
  }),
  column.accessor("httpStatus", {
    header: "HTTP",
    cell: ({ getValue }) => {
      const status = getValue();
      return status === undefined ? "–" : <HttpStatus status={status} />;
    },
  }),
  column.accessor("moneyStatus", {
    header: "Payment",
    cell: ({ getValue }) => <MoneyPill status={getValue()} />,
  }),
  column.accessor("credits", {
    header: "Credits",
    cell: ({ getValue }) => <Credits credits={getValue()} />,
    meta: { align: "end", phone: "end", phoneLabel: "Credits" },
  }),
]);

/** The latest calls of a plan; Activity lists them all. */
export function PlanCalls({ planId, rows }: { planId: string; rows: CallRow[] }) {
  const all = `/activity?planId=${planId}`;
  return (
    <Section
      id="plan-calls"
      title="Last calls"
      meta={
        <Link href={all} className="link text-label">
          All activity of this plan
        </Link>
      }
    >
      <DataTable
        caption="Last calls"
        columns={columns}
        rows={rows}
        rowId={({ agentRequestId }) => agentRequestId}
        hrefOf={({ agentRequestId }) => `/activity/${encodeURIComponent(agentRequestId)}`}
        empty={
          <Empty
            kind="first"
            title="No calls yet"
            actions={<ButtonLink href={`/plans/${planId}?tab=code`}>Show code</ButtonLink>}
          >
            Calls that this plan pays for appear here with their payment status.
          </Empty>
        }
      />
    </Section>
  );
}
