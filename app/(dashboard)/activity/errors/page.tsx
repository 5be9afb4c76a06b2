import { read } from "@/app/_session/operations.ts";
import { ErrorTable } from "@/components/activity/errors/error-table.tsx";
import {
  activityHref,
  activityQuery,
  type SearchParams,
} from "@/components/activity/filter/activity-filter.ts";
import { readActivityFilter } from "@/components/activity/filter/read-activity-filter.ts";
import { RangeLinks } from "@/components/activity/range-links.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { ActivityHeader } from "../activity-header.tsx";
import { readHome, usualRole } from "../read-side.ts";

export const metadata = { title: "Errors" };

export default async function ErrorsPage({
  searchParams,
}: {
  searchParams: Promise<SearchParams>;
}) {
  const filter = readActivityFilter(await searchParams, usualRole(await readHome()));
  const { role, range } = filter;
  const { causes } = await read("getCauses", { role, range });
  const path = "/activity/errors";
  return (
    <>
      <ActivityHeader view="errors" query={activityQuery({ role, range, money: [] })} />
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <SegmentedLinks
          label="Side"
          links={(["builder", "subscriber"] as const).map((one) => ({
            label: one === "builder" ? "Received" : "Sent",
            href: activityHref({ role: one, range, money: [] }, {}, path),
            isCurrent: role === one,
          }))}
        />
        <RangeLinks
          range={range}
          hrefOf={(one) => activityHref({ role, range: one, money: [] }, {}, path)}
        />
      </div>
      <h2 className="sr-only">Errors by cause</h2>
      <ErrorTable causes={causes} role={role} range={range} />
    </>
  );
}
