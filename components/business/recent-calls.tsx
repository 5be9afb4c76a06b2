"use client";

import type { RequestRecord } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import { DataTable } from "../ui/data/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { Section } from "../ui/page-header.tsx";
import { RECENT_CALL_COLUMNS } from "./recent-call-columns.tsx";

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
        <NearLink href={all} className="link text-label">
          All activity
        </NearLink>
      }
    >
      <DataTable
        caption="Recent calls"
        columns={RECENT_CALL_COLUMNS}
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
