import { read } from "@/app/_session/operations.ts";
import { ErrorTable } from "@/components/activity/errors/error-table.tsx";
import {
  activityHref,
  activityQuery,
  clearedFilter,
  seriesQuery,
} from "@/components/activity/filter/activity-filter.ts";
import { readActivityFilter } from "@/components/activity/filter/read-activity-filter.ts";
import { RangeLinks, SideLinks } from "@/components/activity/range-links.tsx";
import { TestCallsLink } from "@/components/activity/test-calls-link.tsx";
import type { Searched } from "@/components/search-params.ts";
import { ActivityHeader } from "../activity-header.tsx";
import { readHome, usualRole } from "../read-side.ts";

export const metadata = { title: "Errors" };

export default async function ErrorsPage({ searchParams }: Searched) {
  const given = readActivityFilter(await searchParams, usualRole(await readHome()));
  const { role, range } = given;
  const side = clearedFilter(given);
  const { causes } = await read("getCauses", seriesQuery(side));
  const path = "/activity/errors";
  return (
    <>
      <ActivityHeader view="errors" query={activityQuery(side)} />
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <SideLinks role={role} hrefOf={(one) => activityHref(side, { role: one }, path)} />
        <RangeLinks range={range} hrefOf={(one) => activityHref(side, { range: one }, path)} />
        {role === "builder" && (
          <TestCallsLink
            areShown={side.tests === "1"}
            href={activityHref(side, { tests: side.tests ? undefined : "1" }, path)}
          />
        )}
      </div>
      <h2 className="sr-only">Errors by cause</h2>
      <ErrorTable causes={causes} role={role} range={range} tests={side.tests} />
    </>
  );
}
