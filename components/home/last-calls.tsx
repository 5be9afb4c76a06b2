"use client";

import { useQuery } from "@tanstack/react-query";
import type { OutputOf, RequestRecord, Role } from "@turnpike/payments/protocol";
import { type Names, nameOf } from "../activity/names.ts";
import { OUTCOME_COLUMNS } from "../activity/outcome-columns.tsx";
import { creditsCharged, Endpoint } from "../activity/request-cells.tsx";
import { msText, tookMs } from "../activity/trace-spans.ts";
import { readQuery } from "../data/read-operation.ts";
import { DataTable } from "../ui/data/data-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { Address } from "../ui/values/address.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";

type Row = RequestRecord & { names: Names };

const columns: DataColumns<Row> = [
  {
    id: "at",
    head: "Time",
    className: "max-sm:row-start-3 max-sm:text-ink-2",
    cell: ({ at }) => <TimeAgo at={at} form="clock" />,
  },
  {
    id: "endpoint",
    head: "Endpoint",
    phone: "title",
    opens: true,
    cell: (row) => <Endpoint record={row} />,
  },
  { id: "plan", head: "Plan", phone: "hidden", cell: (row) => nameOf(row.names.plans, row.planId) },
  {
    id: "payer",
    head: "Payer",
    phone: "hidden",
    cell: ({ payer }) => (payer ? <Address value={payer} name="payer" isCopyable={false} /> : "–"),
  },
  ...OUTCOME_COLUMNS,
  { id: "credits", head: "Credits", align: "end", phone: "hidden", cell: creditsCharged },
  {
    id: "took",
    head: "Duration",
    align: "end",
    phone: "end",
    className: "max-sm:row-start-3",
    cell: (row) => msText(tookMs(row)),
  },
];

const LAST = 8;
const POLL_MS = 5_000;

type LastCallsProps = {
  role: Role;
  includeTest: boolean;
  first: OutputOf<"listRequests">;
  names: Names;
};

/** The latest calls, updated as they arrive. */
export function LastCalls({ role, includeTest, first, names }: LastCallsProps) {
  const { data } = useQuery({
    ...readQuery("listRequests", { role, includeTest, limit: LAST }),
    initialData: first,
    refetchInterval: POLL_MS,
  });
  return (
    <DataTable
      caption="Recent calls"
      columns={columns}
      rows={data.items.map((record) => ({ ...record, names }))}
      rowId={({ agentRequestId, at }) => `${agentRequestId}/${at}`}
      hrefOf={({ agentRequestId }) => `/activity/${encodeURIComponent(agentRequestId)}`}
      empty={
        <Empty kind="filtered" title="No calls yet">
          Calls appear here once your agent has received one.
        </Empty>
      }
    />
  );
}
