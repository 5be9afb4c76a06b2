import { sinceText } from "@/components/activity/series-points.ts";
import { TestCallsLink } from "@/components/activity/test-calls-link.tsx";
import { QueryProvider } from "@/components/data/query-provider.tsx";
import { CallsChart } from "@/components/home/calls-chart.tsx";
import { type Figure, Figures } from "@/components/ui/data/figures.tsx";
import type { ActivitySeries, FigureRange } from "@/lib/console/figures.ts";

type BusinessProps = {
  /** The page, to which `?range=` is added. */
  path: string;
  figures: Figure[];
  series: ActivitySeries;
  scope: { planId?: string; agentId?: string };
  includeTest: boolean;
};

const SELLING = "builder";
const RANGES: FigureRange[] = ["24h", "7d", "30d"];

/** What an object earned and served, with the period before, and its calls over time. */
export function Business({ path, figures, series, scope, includeTest }: BusinessProps) {
  const hrefOf = (range: FigureRange, tests: boolean) =>
    `${path}?range=${range}${tests ? "&tests=1" : ""}`;
  const [first] = series.buckets;
  const hrefs = Object.fromEntries(RANGES.map((one) => [one, hrefOf(one, includeTest)]));
  return (
    <>
      <h2 className="sr-only">Figures</h2>
      <div className="mt-6 grid gap-4">
        {[figures.slice(0, 4), figures.slice(4)].map(
          (strip) => strip.length > 0 && <Figures key={strip[0]?.label} figures={strip} />,
        )}
      </div>
      <p className="mt-3 flex flex-wrap items-center justify-between gap-x-4 text-ink-2 text-note">
        <span>{first && `Figures ${sinceText(first.at)}`}</span>
        <TestCallsLink areShown={includeTest} href={hrefOf(series.range, !includeTest)} />
      </p>
      <div className="mt-8">
        <QueryProvider>
          <CallsChart
            key={`${series.range} ${includeTest}`}
            role={SELLING}
            includeTest={includeTest}
            series={series}
            scope={scope}
            hrefs={hrefs as Record<FigureRange, string>}
          />
        </QueryProvider>
      </div>
    </>
  );
}
