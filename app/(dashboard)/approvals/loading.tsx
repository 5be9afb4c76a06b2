import { ListSkeleton } from "@/components/subscriptions/list-skeleton.tsx";

export default function ApprovalsLoading() {
  return <ListSkeleton title="Approvals" />;
}
