"use client";

import { useQuery } from "@tanstack/react-query";
import type { OutputOf, Role } from "@turnpike/payments/protocol";
import { useMemo } from "react";
import type { Names } from "../activity/names.ts";
import { requestColumns } from "../activity/request-columns.tsx";
import { readQuery } from "../data/read-operation.ts";
import { useEventRefresh } from "../data/use-event-refresh.ts";
import { DataTable } from "../ui/data/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { NO_CALLS } from "./home-figures.ts";

const LAST = 8;

type LastCallsProps = {
  role: Role;
  includeTest: boolean;
  first: OutputOf<"listRequests">;
  names: Names;
};

export function LastCalls({ role, includeTest, first, names }: LastCallsProps) {
  const { data } = useQuery({
    ...readQuery("listRequests", { role, includeTest, limit: LAST }),
    initialData: first,
    refetchInterval: useEventRefresh(),
  });
  const columns = useMemo(() => requestColumns(names, role), [names, role]);
  return (
    <DataTable
      caption="Recent calls"
      columns={columns}
      rows={data.items}
      className="table-fixed"
      rowId={({ agentRequestId, at }) => `${agentRequestId}/${at}`}
      hrefOf={({ agentRequestId }) => `/activity/${encodeURIComponent(agentRequestId)}`}
      empty={
        <Empty kind="filtered" title="No calls yet">
          {NO_CALLS[role]}
        </Empty>
      }
    />
  );
}
