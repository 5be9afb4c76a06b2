import { read } from "@/app/_session/operations.ts";
import { PlanCalls } from "@/components/plans/plan-calls.tsx";

const LAST_CALLS = 8;

export async function ActivityTab({ planId }: { planId: string }) {
  const { items } = await read("listRequests", { planId, limit: LAST_CALLS });
  return <PlanCalls planId={planId} rows={items} />;
}
