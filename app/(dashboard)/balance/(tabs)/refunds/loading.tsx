import { ListSkeleton } from "@/components/subscriptions/list-skeleton.tsx";

export default function RefundsLoading() {
  return <ListSkeleton title="Refunds" />;
}
