import { ListSkeleton } from "@/components/activity/loading-rows.tsx";

export default function DisputesLoading() {
  return <ListSkeleton title="Disputes" />;
}
