import { ListSkeleton } from "@/components/activity/loading-rows.tsx";

export default function RefundsLoading() {
  return <ListSkeleton title="Refunds" />;
}
