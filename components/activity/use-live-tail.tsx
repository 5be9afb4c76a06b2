import type { InputOf } from "@turnpike/payments/protocol";
import { useCallback, useEffect, useState } from "react";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import { createLater } from "../ui/later.ts";
import { type ActivityFilter, activityQuery, seriesQuery } from "./filter/activity-filter.ts";
import type { RequestPage } from "./merge-rows.ts";

const LiveTail = createLater(() => import("./live-tail.tsx"), "LiveTail");

type LiveTailOptions = {
  filter: ActivityFilter;
  query: InputOf<"listRequests">;
  series: ActivitySeries;
  onRows: (page: RequestPage) => void;
};

/** Follows new requests while the switch is on and the page is not scrolled down. Place `element` on the page. */
export function useLiveTail({ filter, query, series, onRows }: LiveTailOptions) {
  const [isWanted, setOn] = useState(true);
  const [isFailing, setFailing] = useState(false);
  const address = activityQuery(filter);
  const [read, setRead] = useState<{ address: string; series: ActivitySeries }>();
  const setChart = useCallback(
    (next: ActivitySeries) => setRead({ address, series: next }),
    [address],
  );
  const isAway = useScrolledAway();
  const isPossible = filter.until === undefined;
  const isOn = isWanted && isPossible;
  const isLive = isOn && !isAway;
  const Tail = LiveTail.usePart(isLive, () => setOn(false));
  return {
    isOn,
    /** New requests can't match a time picked in the past. */
    isPossible,
    isLive,
    isWaiting: isOn && isAway,
    isFailing: isLive && isFailing,
    setOn,
    chart: read?.address === address ? read.series : series,
    element: isLive && Tail && (
      <Tail
        // The list beside it has the address as its key.
        key={`tail ${address}`}
        query={query}
        seriesQuery={seriesQuery(filter)}
        onRows={onRows}
        onSeries={setChart}
        onFailing={setFailing}
      />
    ),
  };
}

const AWAY_PX = 240;
/** How long the page rests at its top before new rows are read: a filter chosen on arriving there goes first. */
const REST_MS = 500;

/** Whether the page is scrolled down, where new rows above would move what is being read. */
function useScrolledAway(): boolean {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    let rest: ReturnType<typeof setTimeout> | undefined;
    const read = () => {
      clearTimeout(rest);
      if (window.scrollY > AWAY_PX) setAway(true);
      else rest = setTimeout(setAway, REST_MS, false);
    };
    window.addEventListener("scroll", read, { passive: true });
    return () => {
      clearTimeout(rest);
      window.removeEventListener("scroll", read);
    };
  }, []);
  return isAway;
}
