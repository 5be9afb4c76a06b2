import { read } from "@/app/_session/operations.ts";
import { RecentCalls } from "@/components/business/recent-calls.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";

const LAST_CALLS = 8;

export async function ActivityTab({ planId }: { planId: string }) {
  const { items } = await read("listRequests", { planId, limit: LAST_CALLS });
  return (
    <RecentCalls
      rows={items}
      all={`/activity?planId=${planId}`}
      empty="Calls that this plan pays for appear here with their payment status."
      action={<ButtonLink href={`/plans/${planId}?tab=code`}>Show code</ButtonLink>}
    />
  );
}
