import { ListSkeleton } from "@/components/subscriptions/list-skeleton.tsx";

export default function AlertsLoading() {
  return <ListSkeleton title="Alerts" />;
}
