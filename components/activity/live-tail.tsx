import { useQuery } from "@tanstack/react-query";
import type { InputOf, OutputOf } from "@turnpike/payments/protocol";
import { useEffect } from "react";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import { QueryProvider } from "../data/query-provider.tsx";
import { readQuery } from "../data/read-operation.ts";
import { useEventRefresh } from "../data/use-event-refresh.ts";
import { FIRST_PAGE } from "./page-sizes.ts";

/** Keeps its data and fails after three failures in a row; a browser that is offline fails like any other. */
const TAIL = { retry: 2, retryDelay: 2_000, networkMode: "always" } as const;

type LiveTailProps = {
  query: InputOf<"listRequests">;
  seriesQuery: InputOf<"getActivitySeries", ConsoleOperations>;
  onRows: (page: OutputOf<"listRequests">) => void;
  onSeries: (series: ActivitySeries) => void;
  onFailing: (isFailing: boolean) => void;
};

/** Keeps the newest requests and their chart up to date. Renders nothing, and arrives after the page. */
export function LiveTail(props: LiveTailProps) {
  return (
    <QueryProvider>
      <Tail {...props} />
    </QueryProvider>
  );
}

function Tail({ query, seriesQuery, onRows, onSeries, onFailing }: LiveTailProps) {
  const tail = { ...TAIL, refetchInterval: useEventRefresh() };
  const { data: page, isError } = useQuery({
    ...readQuery("listRequests", { ...query, limit: FIRST_PAGE }),
    ...tail,
  });
  const { data: series } = useQuery({ ...readQuery("getActivitySeries", seriesQuery), ...tail });
  useEffect(() => {
    if (page) onRows(page);
  }, [page, onRows]);
  useEffect(() => {
    if (series) onSeries(series);
  }, [series, onSeries]);
  useEffect(() => onFailing(isError), [isError, onFailing]);
  return null;
}
