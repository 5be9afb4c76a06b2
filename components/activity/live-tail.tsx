"use client";

import { useQuery } from "@tanstack/react-query";
import type { InputOf, OutputOf } from "@turnpike/payments/protocol";
import { useEffect } from "react";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import { QueryProvider } from "../data/query-provider.tsx";
import { pollQuery } from "../data/read-operation.ts";
import { FIRST_PAGE } from "./page-sizes.ts";

const ROWS_EACH_MS = 2_000;
const SERIES_EACH_MS = 15_000;

type LiveTailProps = {
  query: InputOf<"listRequests">;
  seriesQuery: InputOf<"getActivitySeries", ConsoleOperations>;
  onRows: (page: OutputOf<"listRequests">) => void;
  onSeries: (series: ActivitySeries) => void;
  onFailing: (isFailing: boolean) => void;
};

/** Reads the newest requests and their chart again and again. Renders nothing, and arrives after the page. */
export function LiveTail(props: LiveTailProps) {
  return (
    <QueryProvider>
      <Tail {...props} />
    </QueryProvider>
  );
}

function Tail({ query, seriesQuery, onRows, onSeries, onFailing }: LiveTailProps) {
  const { data: page, isError } = useQuery(
    pollQuery("listRequests", { ...query, limit: FIRST_PAGE }, { eachMs: ROWS_EACH_MS }),
  );
  const { data: series } = useQuery(
    pollQuery("getActivitySeries", seriesQuery, { eachMs: SERIES_EACH_MS }),
  );
  useEffect(() => {
    if (page) onRows(page);
  }, [page, onRows]);
  useEffect(() => {
    if (series) onSeries(series);
  }, [series, onSeries]);
  useEffect(() => onFailing(isError), [isError, onFailing]);
  return null;
}
