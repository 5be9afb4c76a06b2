import type { RequestRecord } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import { ERROR_STATUSES, groupErrors } from "@/components/activity/errors/error-groups.ts";
import { ErrorTable } from "@/components/activity/errors/error-table.tsx";
import {
  activityHref,
  activityQuery,
  clearedFilter,
  requestQuery,
  type SearchParams,
  seriesQuery,
} from "@/components/activity/filter/activity-filter.ts";
import { readActivityFilter } from "@/components/activity/filter/read-activity-filter.ts";
import { RangeLinks } from "@/components/activity/range-links.tsx";
import { RANGE_WORDS } from "@/components/activity/series-points.ts";
import { TestCallsLink } from "@/components/activity/test-calls-link.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { groupDigits } from "@/components/ui/values/money-text.ts";
import { ActivityHeader } from "../activity-header.tsx";
import { readHome, usualRole } from "../read-side.ts";

export const metadata = { title: "Errors" };

const PAGES = 10;
const PAGE = 100;

export default async function ErrorsPage({
  searchParams,
}: {
  searchParams: Promise<SearchParams>;
}) {
  const given = readActivityFilter(await searchParams, usualRole(await readHome()));
  const { role, range } = given;
  const side = clearedFilter(given);
  const filter = { ...side, money: ERROR_STATUSES };
  const series = await read("getActivitySeries", seriesQuery(side));
  const query = requestQuery(filter, series.buckets[0]?.at ?? new Date(0).toISOString());
  const records: RequestRecord[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const listed = await read("listRequests", { ...query, limit: PAGE, ...(cursor && { cursor }) });
    records.push(...listed.items);
    cursor = listed.nextCursor;
    if (!cursor) break;
  }
  const path = "/activity/errors";
  return (
    <>
      <ActivityHeader view="errors" query={activityQuery(side)} />
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <SegmentedLinks
          label="Side"
          links={(["builder", "subscriber"] as const).map((one) => ({
            label: one === "builder" ? "Received" : "Sent",
            href: activityHref(side, { role: one }, path),
            isCurrent: role === one,
          }))}
        />
        <RangeLinks range={range} hrefOf={(one) => activityHref(side, { range: one }, path)} />
        {role === "builder" && (
          <TestCallsLink
            areShown={side.tests === "1"}
            href={activityHref(side, { tests: side.tests ? undefined : "1" }, path)}
          />
        )}
        {cursor && (
          <p className="text-ink-2 text-note">
            Based on the newest {groupDigits(records.length)} errors.
          </p>
        )}
      </div>
      <h2 className="sr-only">Errors by reason and route</h2>
      <ErrorTable groups={groupErrors(records)} rangeWords={RANGE_WORDS[range]} />
    </>
  );
}
