import { LoadingRows } from "@/components/activity/loading-rows.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function ActivityLoading() {
  return (
    <>
      <PageHeader title="Activity">
        What was asked, what was answered, and what the money did.
      </PageHeader>
      <LoadingRows caption="Requests" />
    </>
  );
}
