import type { FigureRange } from "@/lib/console/figures.ts";

export const PLAN_TABS = ["overview", "subscribers", "activity", "code", "settings"] as const;
export type PlanTab = (typeof PLAN_TABS)[number];

/** The tab named in the URL, or the first. */
export const readTab = (value: unknown): PlanTab =>
  PLAN_TABS.find((tab) => tab === value) ?? "overview";

export const tabHref = (planId: string, tab: PlanTab): string =>
  tab === "overview" ? `/plans/${planId}` : `/plans/${planId}?tab=${tab}`;

export type PlanTabProps = {
  planId: string;
  range: FigureRange;
  /** Counts calls of test customers too. */
  includeTest: boolean;
  cursor?: string;
};
