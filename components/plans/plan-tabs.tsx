import type { FigureRange } from "@/lib/console/figures.ts";
import { choiceLinks, oneOf } from "../list-query.ts";
import { TabLinks } from "../ui/links/tab-links.tsx";

const LABELS = {
  overview: "Overview",
  subscribers: "Subscribers",
  activity: "Activity",
  code: "Code",
  settings: "Settings",
};
export type PlanTab = keyof typeof LABELS;

/** The tab named in the URL, or the first. */
export const readTab = (value: unknown): PlanTab =>
  oneOf(value, Object.keys(LABELS) as PlanTab[]) ?? "overview";

export const tabHref = (planId: string, tab: PlanTab): string =>
  tab === "overview" ? `/plans/${planId}` : `/plans/${planId}?tab=${tab}`;

export type PlanTabProps = {
  planId: string;
  range: FigureRange;
  /** Counts calls of test customers too. */
  includeTest: boolean;
  cursor?: string;
};

export function PlanTabs({ planId, tab }: { planId: string; tab: PlanTab }) {
  return <TabLinks label="Plan" tabs={choiceLinks(LABELS, tab, (one) => tabHref(planId, one))} />;
}
