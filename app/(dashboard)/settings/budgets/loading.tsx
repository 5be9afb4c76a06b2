import { ListSkeleton } from "@/components/subscriptions/list-skeleton.tsx";

export default function BudgetsLoading() {
  return <ListSkeleton title="Budgets" />;
}
