"use client";

import { useLayoutEffect, useMemo, useState } from "react";
import { cn } from "../cn.ts";
import { clockAt, readClock } from "./clock.ts";
import { useClock } from "./clock-provider.tsx";
import { absoluteTime, clockText, dayClockText, relativeTime, ticksEachMs } from "./time-text.ts";

export type TimeAgoProps = {
  /** ISO 8601. */
  at: string;
  /** The service's clock, where it is not the page's. */
  now?: string;
  /**
   * `ago` counts from now, `clock` is 14:02:11, after the day where `now` is another one, `full` includes the date. The title always
   * has everything.
   */
  form?: "ago" | "clock" | "full";
  className?: string;
};

/** A moment: relative and ticking, or a clock time. Its title has the full time in UTC. */
export function TimeAgo({ at, now, form = "ago", className }: TimeAgoProps) {
  const moment = new Date(at);
  const clock = useTicks(moment, now, form === "ago" || (form === "clock" && now !== undefined));
  const whole = absoluteTime(moment);
  const text = {
    ago: () => (clock ? relativeTime(moment, clock) : whole),
    clock: () => (clock ? dayClockText(moment, clock) : clockText(moment)),
    full: () => whole,
  }[form]();
  return (
    <time
      dateTime={moment.toISOString()}
      title={whole}
      className={cn("whitespace-nowrap tabular-nums", className)}
    >
      {text}
    </time>
  );
}

/** The time of now as it goes on. Server and browser first render the same. */
function useTicks(moment: Date, now: string | undefined, isTicking: boolean): Date | undefined {
  const page = useClock();
  const clock = useMemo(() => (now === undefined ? page : clockAt(now)), [now, page]);
  const [read, setRead] = useState(clock && new Date(clock.now));
  const atMs = moment.getTime();
  useLayoutEffect(() => {
    if (!isTicking) return;
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      const next = readClock(clock);
      setRead(next);
      timer = setTimeout(tick, ticksEachMs(new Date(atMs), next));
    };
    tick();
    return () => clearTimeout(timer);
  }, [atMs, clock, isTicking]);
  return read;
}
