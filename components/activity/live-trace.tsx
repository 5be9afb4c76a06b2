"use client";

import { useQuery } from "@tanstack/react-query";
import { readQuery } from "../data/read-operation.ts";
import { pollEach } from "./poll-each.ts";
import { RequestTrace, type RequestTraceProps } from "./request-trace.tsx";

/** A trace that is refreshed until it is final. */
export function LiveTrace({ record, ...props }: RequestTraceProps) {
  const { data } = useQuery({
    ...readQuery("getRequest", { agentRequestId: record.agentRequestId }),
    initialData: record,
    refetchInterval: ({ state }) => pollEach(state),
  });
  return <RequestTrace record={data} {...props} isPage />;
}
