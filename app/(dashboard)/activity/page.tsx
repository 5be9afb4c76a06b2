import { redirect } from "next/navigation";
import { read } from "@/app/_session/operations.ts";
import {
  type ActivityFilter,
  activityHref,
  activityQuery,
  clearedFilter,
  requestQuery,
  seriesQuery,
} from "@/components/activity/filter/activity-filter.ts";
import { readActivityFilter } from "@/components/activity/filter/read-activity-filter.ts";
import { NoRequests } from "@/components/activity/no-requests.tsx";
import { FIRST_PAGE } from "@/components/activity/page-sizes.ts";
import { RequestLog } from "@/components/activity/request-log.tsx";
import type { Searched } from "@/components/search-params.ts";
import { DownloadCsv } from "@/components/ui/download-csv.tsx";
import { ActivityHeader } from "./activity-header.tsx";
import { readNames } from "./read-names.ts";
import { readHome, usualRole } from "./read-side.ts";

export const metadata = { title: "Activity" };

export default async function ActivityPage({ searchParams }: Searched) {
  const params = await searchParams;
  if (params.view === "reconcile") redirect("/activity/reconcile");
  const filter = readActivityFilter(params, params.role ? "builder" : usualRole(await readHome()));
  // The head of the page reads home too: begun here, it is there when the rows are.
  const [log, names] = await Promise.all([readLog(filter), readNames(), readHome()]);
  return (
    <>
      <ActivityHeader
        view="requests"
        query={activityQuery(clearedFilter(filter))}
        actions={<DownloadCsv href={activityHref(filter, {}, "/activity/export")} />}
      />
      <h2 className="sr-only">Requests</h2>
      <RequestLog filter={filter} {...log} names={names} empty={<NoRequests filter={filter} />} />
    </>
  );
}

/** The chart of the chosen time, and the newest requests since its first bar. */
async function readLog(filter: ActivityFilter) {
  const series = await read("getActivitySeries", seriesQuery(filter));
  const query = requestQuery(filter, series.buckets[0]?.at ?? new Date(0).toISOString());
  return { series, query, first: await read("listRequests", { ...query, limit: FIRST_PAGE }) };
}
