import { ListSkeleton } from "@/components/activity/loading-rows.tsx";

export default function CustomersLoading() {
  return <ListSkeleton title="Customers" />;
}
