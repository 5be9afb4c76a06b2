"use client";

import { useEffect, useState } from "react";
import { cn } from "../cn.ts";
import { absoluteTime, clockText, dayClockText, relativeTime, ticksEachMs } from "./time-text.ts";

export type TimeAgoProps = {
  /** ISO 8601. */
  at: string;
  /** The server's clock, so that server and browser first render the same text. */
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
  const clock = useClock(moment, now, form === "ago" || (form === "clock" && now !== undefined));
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

function useClock(moment: Date, now: string | undefined, isTicking: boolean): Date | undefined {
  const [clock, setClock] = useState(now === undefined ? undefined : new Date(now));
  const atMs = moment.getTime();
  useEffect(() => {
    if (!isTicking) return;
    const start = Date.now();
    const offset = now === undefined ? 0 : new Date(now).getTime() - start;
    const read = () => new Date(Date.now() + offset);
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      const next = read();
      setClock(next);
      timer = setTimeout(tick, ticksEachMs(new Date(atMs), next));
    };
    tick();
    return () => clearTimeout(timer);
  }, [atMs, now, isTicking]);
  return clock;
}
