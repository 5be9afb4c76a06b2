import { readListed } from "@/app/_session/operations.ts";
import { activityQuery, clearedFilter } from "@/components/activity/filter/activity-filter.ts";
import { readActivityFilter } from "@/components/activity/filter/read-activity-filter.ts";
import { RECONCILE_PAGE } from "@/components/activity/page-sizes.ts";
import { RECONCILE_PATH } from "@/components/activity/reconcile/queue-pages.ts";
import { ReconcileQueue } from "@/components/activity/reconcile/reconcile-queue.tsx";
import { QueryProvider } from "@/components/data/query-provider.tsx";
import { readTexts, type Searched } from "@/components/search-params.ts";
import { ActivityHeader } from "../activity-header.tsx";
import { readNames } from "../read-names.ts";
import { readHome, usualRole } from "../read-side.ts";
import { settleRequest, writeOffRequest } from "./actions.ts";

export const metadata = { title: "Reconcile" };

export default async function ReconcilePage({ searchParams }: Searched) {
  const params = await searchParams;
  const { cursor } = readTexts(params, ["cursor"]);
  const home = await readHome();
  const side = activityQuery(clearedFilter(readActivityFilter(params, usualRole(home))));
  const [first, names] = await Promise.all([
    readListed(
      "listUnsettledRequests",
      { limit: RECONCILE_PAGE, cursor },
      `${RECONCILE_PATH}?${side}`,
    ),
    readNames(),
  ]);
  return (
    <>
      <ActivityHeader view="reconcile" query={side} />
      <h2 className="sr-only">Unsettled requests</h2>
      <QueryProvider>
        <ReconcileQueue
          search={{ side, cursor }}
          first={first}
          names={names}
          settleRequest={settleRequest}
          writeOffRequest={writeOffRequest}
        />
      </QueryProvider>
    </>
  );
}
