import { TabLinks } from "../ui/links/tab-links.tsx";
import { PLAN_TABS, type PlanTab, tabHref } from "./plan-tabs.ts";

const LABELS: Record<PlanTab, string> = {
  overview: "Overview",
  subscribers: "Subscribers",
  activity: "Activity",
  code: "Code",
  settings: "Settings",
};

export function PlanTabLinks({ planId, tab }: { planId: string; tab: PlanTab }) {
  return (
    <TabLinks
      label="Plan"
      tabs={PLAN_TABS.map((one) => ({
        href: tabHref(planId, one),
        label: LABELS[one],
        isCurrent: one === tab,
      }))}
    />
  );
}
