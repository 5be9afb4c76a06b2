"use client";

import { useLayoutEffect, useState } from "react";
import { cn } from "../cn.ts";
import { readClock } from "./clock.ts";
import { useClock } from "./clock-provider.tsx";
import { absoluteTime, clockText, dayClockText, relativeTime, ticksEachMs } from "./time-text.ts";

export type TimeAgoProps = {
  /** ISO 8601. */
  at: string;
  /**
   * `ago` counts from now, `clock` is 14:02:11, after the day where that is not today, `full` includes the date. The title
   * always has everything.
   */
  form?: "ago" | "clock" | "full";
  className?: string;
};

/** A moment: relative and ticking, or a clock time. Its title has the full time in UTC. */
export function TimeAgo({ at, form = "ago", className }: TimeAgoProps) {
  const moment = new Date(at);
  const clock = useTicks(moment, form !== "full");
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

/** The current time, ticking. Server and browser first render the same. */
function useTicks(moment: Date, isTicking: boolean): Date | undefined {
  const clock = useClock();
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
