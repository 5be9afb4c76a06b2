import * as z from "zod/mini";
import type { SearchParams } from "@/components/search-params.ts";
import { FigureRange } from "@/lib/console/figures.ts";

export type EarningsView = {
  range: FigureRange;
  includeTest: boolean;
  chart: "money" | "plans" | "agents";
  currency: string | undefined;
};

export function readEarningsView(params: SearchParams): EarningsView {
  const { chart, currency } = params;
  return {
    range: z.catch(FigureRange, "30d").parse(params.range),
    includeTest: params.tests === "1",
    chart: chart === "plans" || chart === "agents" ? chart : "money",
    currency: typeof currency === "string" ? currency : undefined,
  };
}

export function earningsHref(
  view: EarningsView,
  change: Partial<EarningsView> = {},
  path = "/earnings",
): string {
  const { range, includeTest, chart, currency } = { ...view, ...change };
  const query = new URLSearchParams({ range });
  if (includeTest) query.set("tests", "1");
  if (chart !== "money") query.set("chart", chart);
  if (currency) query.set("currency", currency);
  return `${path}?${query}`;
}

/** What the figures count of test customers; Balance has all of their money. */
export const leftOutText = ({ includeTest }: Pick<EarningsView, "includeTest">): string =>
  includeTest
    ? "Test customers are included, as in Balance."
    : "Test customers are left out; Balance includes their payments.";
