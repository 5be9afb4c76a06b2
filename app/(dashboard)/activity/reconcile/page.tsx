import { read } from "@/app/_session/operations.ts";
import { activityQuery } from "@/components/activity/filter/activity-filter.ts";
import { RECONCILE_PAGE } from "@/components/activity/page-sizes.ts";
import { ReconcileQueue } from "@/components/activity/reconcile/reconcile-queue.tsx";
import { QueryProvider } from "@/components/data/query-provider.tsx";
import { ActivityHeader } from "../activity-header.tsx";
import { readNames } from "../read-names.ts";
import { readHome } from "../read-side.ts";
import { settleRequest, writeOffRequest } from "./actions.ts";

export const metadata = { title: "Reconcile" };

export default async function ReconcilePage() {
  const [first, names, { now }] = await Promise.all([
    read("listUnsettledRequests", { limit: RECONCILE_PAGE }),
    readNames(),
    readHome(),
  ]);
  return (
    <>
      <ActivityHeader
        view="reconcile"
        query={activityQuery({ role: "builder", range: "24h", money: [] })}
      />
      <h2 className="sr-only">Unsettled requests</h2>
      <QueryProvider>
        <ReconcileQueue
          first={first}
          names={names}
          now={now}
          settleRequest={settleRequest}
          writeOffRequest={writeOffRequest}
        />
      </QueryProvider>
    </>
  );
}
