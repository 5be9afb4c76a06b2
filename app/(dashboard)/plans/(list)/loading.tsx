import { PlanTable } from "@/components/plans/plan-table.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export default function PlansLoading() {
  return (
    <>
      <PageHeader title="Plans">A plan sets a price and the credits it buys.</PageHeader>
      <PlanTable rows={[]} isLoading />
    </>
  );
}
