"use client";

import { useQuery } from "@tanstack/react-query";
import type { OutputOf, RequestRecord, Role } from "@turnpike/payments/protocol";
import { type Names, nameOf } from "../activity/names.ts";
import { OUTCOME_COLUMNS } from "../activity/outcome-columns.tsx";
import { creditsTaken, Endpoint } from "../activity/request-cells.tsx";
import { msText, tookMs } from "../activity/trace-spans.ts";
import { readQuery } from "../data/read-operation.ts";
import { DataTable } from "../ui/data/data-table.tsx";
import { columnsOf } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { Address } from "../ui/values/address.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";

type Row = RequestRecord & { names: Names };

const column = columnsOf<Row>();
const columns = column.columns([
  column.accessor("at", {
    header: "Time",
    meta: { className: "max-sm:row-start-3 max-sm:text-ink-2" },
    cell: ({ getValue }) => <TimeAgo at={getValue()} form="clock" />,
  }),
  column.display({
    id: "endpoint",
    header: "Endpoint",
    meta: { phone: "title", opens: true },
    cell: ({ row: { original } }) => <Endpoint record={original} />,
  }),
  column.display({
    id: "plan",
    header: "Plan",
    meta: { phone: "hidden" },
    cell: ({ row: { original } }) => nameOf(original.names.plans, original.planId),
  }),
  column.accessor("payer", {
    header: "Payer",
    meta: { phone: "hidden" },
    cell: ({ getValue }) => {
      const payer = getValue();
      return payer ? <Address value={payer} name="payer" isCopyable={false} /> : "–";
    },
  }),
  ...OUTCOME_COLUMNS,
  column.display({
    id: "credits",
    header: "Credits",
    meta: { align: "end", phone: "hidden" },
    cell: ({ row: { original } }) => creditsTaken(original),
  }),
  column.display({
    id: "took",
    header: "Took",
    meta: { align: "end", phone: "end", className: "max-sm:row-start-3" },
    cell: ({ row: { original } }) => msText(tookMs(original)),
  }),
]);

const LAST = 8;
const POLL_MS = 5_000;

type LastCallsProps = { role: Role; first: OutputOf<"listRequests">; names: Names };

/** The latest calls, updated as they arrive. */
export function LastCalls({ role, first, names }: LastCallsProps) {
  const { data } = useQuery({
    ...readQuery("listRequests", { role, limit: LAST }),
    initialData: first,
    refetchInterval: POLL_MS,
  });
  return (
    <DataTable
      caption="Last calls"
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
