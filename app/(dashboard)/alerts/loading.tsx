import { ListSkeleton } from "@/components/activity/loading-rows.tsx";

export default function AlertsLoading() {
  return <ListSkeleton title="Alerts" />;
}
