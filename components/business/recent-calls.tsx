"use client";

import type { RequestRecord } from "@turnpike/payments/protocol";
import Link from "next/link";
import type { ReactNode } from "react";
import { DataTable } from "../ui/data/data-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { Section } from "../ui/page-header.tsx";
import { Credits } from "../ui/values/credits.tsx";
import { HttpStatus } from "../ui/values/http-status.tsx";
import { MoneyStatus } from "../ui/values/money-status.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";

const columns: DataColumns<RequestRecord> = [
  { id: "at", head: "Time", cell: ({ at }) => <TimeAgo at={at} />, phone: "end" },
  {
    id: "path",
    head: "Endpoint",
    cell: (row) => (
      <span className="wrap-anywhere font-mono text-small">
        {row.path ? `${row.method ?? ""} ${row.path}` : "not reported"}
      </span>
    ),
    phone: "title",
    opens: true,
  },
  {
    id: "httpStatus",
    head: "HTTP",
    cell: ({ httpStatus }) => (httpStatus === undefined ? "–" : <HttpStatus status={httpStatus} />),
  },
  {
    id: "moneyStatus",
    head: "Payment",
    cell: ({ moneyStatus }) => <MoneyStatus status={moneyStatus} />,
  },
  {
    id: "credits",
    label: "Credits",
    cell: ({ credits }) => <Credits credits={credits} />,
    align: "end",
    phone: "end",
  },
];

type RecentCallsProps = {
  rows: RequestRecord[];
  /** Activity, filtered to these calls. */
  all: string;
  /** What appears here, and where to begin. */
  empty: ReactNode;
  action?: ReactNode;
};

/** The latest calls of a plan or a customer; Activity lists them all. */
export function RecentCalls({ rows, all, empty, action }: RecentCallsProps) {
  return (
    <Section
      id="recent-calls"
      title="Recent calls"
      meta={
        <Link href={all} className="link text-label">
          All activity
        </Link>
      }
    >
      <DataTable
        caption="Recent calls"
        columns={columns}
        rows={rows}
        rowId={({ agentRequestId }) => agentRequestId}
        hrefOf={({ agentRequestId }) => `/activity/${encodeURIComponent(agentRequestId)}`}
        empty={
          <Empty kind="first" title="No calls yet" actions={action}>
            {empty}
          </Empty>
        }
      />
    </Section>
  );
}
