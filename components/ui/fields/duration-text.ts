import { plural } from "@/lib/text/plural.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The units of a duration. The service counts a month as 30 days and a year as 365. */
export const DURATION_UNITS = {
  seconds: { secs: 1, one: "second", many: "seconds" },
  minutes: { secs: MINUTE, one: "minute", many: "minutes" },
  hours: { secs: HOUR, one: "hour", many: "hours" },
  days: { secs: DAY, one: "day", many: "days" },
  weeks: { secs: 7 * DAY, one: "week", many: "weeks" },
  months: { secs: 30 * DAY, one: "month (30 days)", many: "months (30 days)" },
  years: { secs: 365 * DAY, one: "year (365 days)", many: "years (365 days)" },
} as const;

export type DurationUnit = keyof typeof DURATION_UNITS;

const PARTS = [
  [DAY, "d", "day"],
  [HOUR, "h", "hour"],
  [MINUTE, "m", "minute"],
  [1, "s", "second"],
] as const;

/** A duration in its two largest units, rounded down: `6 d 4 h`, `23 h 50 m`, `40 s`. */
export const durationText = (secs: number): string =>
  partsOf(secs, (count, unit) => `${count} ${unit}`);

/** The same in words, for sentences: `30 days`, `23 hours 50 minutes`. */
export const durationWords = (secs: number): string =>
  partsOf(secs, (count, _, word) => plural(count, word));

function partsOf(
  secs: number,
  write: (count: number, unit: string, word: string) => string,
): string {
  const whole = Math.max(0, Math.floor(secs));
  const first = PARTS.findIndex(([size]) => whole >= size);
  if (first === -1) return write(0, "s", "second");
  let rest = whole;
  const words: string[] = [];
  for (const [size, unit, word] of PARTS.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) words.push(write(count, unit, word));
  }
  return words.join(" ");
}

export type DurationReading =
  | { isDuration: true; durationSecs: number }
  | { isDuration: false; fault: string };

/** A typed number and its unit as seconds, or what is wrong with it. */
export function readDuration(count: string, unit: DurationUnit): DurationReading {
  const typed = count.trim();
  const { secs, many } = DURATION_UNITS[unit];
  if (!/^\d+$/.test(typed)) {
    return { isDuration: false, fault: `Enter a whole number of ${many}.` };
  }
  const durationSecs = Number(typed) * secs;
  if (durationSecs === 0) return { isDuration: false, fault: "Enter 1 or more." };
  if (!Number.isSafeInteger(durationSecs)) {
    return { isDuration: false, fault: "Enter a smaller number." };
  }
  return { isDuration: true, durationSecs };
}

/** Every unit, the smallest first. */
export const DURATION_NAMES = Object.keys(DURATION_UNITS) as DurationUnit[];

/** Seconds as a number of the largest unit that divides them. */
export function splitDuration(durationSecs: number): { count: string; unit: DurationUnit } {
  const unit =
    DURATION_NAMES.findLast((name) => durationSecs % DURATION_UNITS[name].secs === 0) ?? "seconds";
  return { count: String(durationSecs / DURATION_UNITS[unit].secs), unit };
}
