import { LoadingRows } from "@/components/activity/loading-rows.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function EarningsLoading() {
  return (
    <>
      <PageHeader title="Earnings">What your plans sold and your agents earned.</PageHeader>
      <LoadingRows caption="Earnings" />
    </>
  );
}
