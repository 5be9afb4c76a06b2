"use client";

import { useQuery } from "@tanstack/react-query";
import { readQuery } from "../data/read-operation.ts";
import { Card } from "../ui/card.tsx";
import { pollEach } from "./poll-each.ts";
import { RequestTrace, type RequestTraceProps } from "./request-trace.tsx";

/** A trace that is refreshed until it is final. */
export function LiveTrace({ record, ...props }: RequestTraceProps) {
  const { data } = useQuery({
    ...readQuery("getRequest", { agentRequestId: record.agentRequestId }),
    initialData: record,
    refetchInterval: ({ state }) => pollEach(state),
  });
  return (
    <Card isPadded={false} className="max-w-220">
      <RequestTrace record={data} {...props} />
    </Card>
  );
}
