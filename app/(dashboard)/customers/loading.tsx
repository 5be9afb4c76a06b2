import { ListSkeleton } from "@/components/subscriptions/list-skeleton.tsx";

export default function CustomersLoading() {
  return <ListSkeleton title="Customers" />;
}
