import { LoadingRows } from "@/components/activity/loading-rows.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function ActivityLoading() {
  return (
    <>
      <PageHeader title="Activity">
        Every request with its response and payment status. Times are UTC.
      </PageHeader>
      <LoadingRows caption="Requests" />
    </>
  );
}
