import type { MarketFacts } from "@/lib/console/market-facts.ts";
import { DAY_MS } from "@/lib/text/durations.ts";

type Days = MarketFacts["days"];

export type Span = { label: string; calls: number; settled: number };

const SPANS = [
  { label: "Last 7 days", from: 7, to: 0 },
  { label: "7 days before", from: 14, to: 7 },
  { label: "16 days before", from: 30, to: 14 },
];

/** The calls of thirty days in spans, the newest first. */
export const spansOf = (days: Days): Span[] =>
  SPANS.map(({ label, from, to }) => {
    const span = days.slice(Math.max(0, days.length - from), days.length - to);
    const sum = (of: keyof Days[number]) => span.reduce((total, day) => total + day[of], 0);
    return { label, calls: sum("calls"), settled: sum("settled") };
  });

/** The day that lost the most calls, at its midnight in UTC. */
export function worstDay(days: Days, since: string) {
  const lost = days.map(({ calls, settled }) => calls - settled);
  const most = Math.max(0, ...lost);
  const day = days[lost.indexOf(most)];
  if (most === 0 || !day) return undefined;
  return { at: new Date(Date.parse(since) + lost.indexOf(most) * DAY_MS), ...day };
}
