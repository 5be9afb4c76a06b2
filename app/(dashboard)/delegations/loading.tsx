import { ListSkeleton } from "@/components/activity/loading-rows.tsx";

export default function DelegationsLoading() {
  return <ListSkeleton title="Delegations" />;
}
