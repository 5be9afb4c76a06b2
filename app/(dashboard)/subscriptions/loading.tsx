import { ListSkeleton } from "@/components/activity/loading-rows.tsx";

export default function SubscriptionsLoading() {
  return <ListSkeleton title="Subscriptions" />;
}
