import { ListSkeleton } from "@/components/activity/loading-rows.tsx";

export default function ApprovalsLoading() {
  return <ListSkeleton title="Approvals" />;
}
