import type { MarketFacts } from "@/lib/console/market-facts.ts";

const WIDTH = 6;
const GAP = 2;
const HEIGHT = 24;
const LEAST = 3;

/** Thirty days of calls, the last one at the end. A day with lost calls is shorter by their share, and amber. */
export function DayBars({ days, isTall }: Pick<MarketFacts, "days"> & { isTall?: boolean }) {
  const lost = days.filter(({ calls, settled }) => settled < calls).length;
  const label =
    lost === 0
      ? "No call was lost in 30 days"
      : `Calls were lost on ${lost} of ${days.length} days`;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${days.length * (WIDTH + GAP) - GAP} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={isTall ? "h-20 w-full" : "h-6 w-full"}
    >
      {days.map(({ calls, settled }, day) => {
        const height =
          calls === 0 ? LEAST : Math.max(LEAST, Math.round((HEIGHT * settled) / calls));
        const look =
          calls === 0 ? "fill-ink-2/25" : settled < calls ? "fill-unsettled" : "fill-settled/55";
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the days keep their places.
            key={day}
            x={day * (WIDTH + GAP)}
            y={HEIGHT - height}
            width={WIDTH}
            height={height}
            className={look}
          />
        );
      })}
    </svg>
  );
}
