import { ListSkeleton } from "@/components/subscriptions/list-skeleton.tsx";

export default function DelegationsLoading() {
  return <ListSkeleton title="Delegations" />;
}
