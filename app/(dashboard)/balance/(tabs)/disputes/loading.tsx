import { ListSkeleton } from "@/components/subscriptions/list-skeleton.tsx";

export default function DisputesLoading() {
  return <ListSkeleton title="Disputes" />;
}
