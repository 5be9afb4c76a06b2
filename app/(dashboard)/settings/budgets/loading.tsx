import { ListSkeleton } from "@/components/activity/loading-rows.tsx";

export default function BudgetsLoading() {
  return <ListSkeleton title="Budgets" />;
}
