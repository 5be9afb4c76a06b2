import { ListSkeleton } from "@/components/subscriptions/list-skeleton.tsx";

export default function SubscriptionsLoading() {
  return <ListSkeleton title="Subscriptions" />;
}
