const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW_WITHIN = 10 * SECOND;
const RELATIVE_WITHIN = 7 * DAY;

const NO_BREAK = "\u00a0";
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const two = (value: number) => String(value).padStart(2, "0");

/** `21 Nov 2026 14:02:11 UTC`: the same text on the server and in every browser. */
export function absoluteTime(at: Date): string {
  return `${dateText(at)} ${clockText(at)} UTC`;
}

/** `21 Nov 2026 14:02 UTC`. */
export const minuteText = (at: Date): string => `${dateText(at)} ${clockText(at).slice(0, 5)} UTC`;

/** `21 Nov 2026`, in UTC. */
export const dateText = (at: Date): string =>
  `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;

/** `14:02:11`, in UTC. */
export const clockText = (at: Date): string =>
  [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(":");

/** `14:02:11` today, `20 Nov 14:02:11` on another day, in UTC. The day is one word, the time another. */
export function dayClockText(at: Date, now: Date): string {
  if (dateText(at) === dateText(now)) return clockText(at);
  return `${dayText(at, now).replaceAll(" ", NO_BREAK)} ${clockText(at)}`;
}

/** `21 Nov`, with the year where it is another one. */
const dayText = (at: Date, now: Date): string =>
  at.getUTCFullYear() === now.getUTCFullYear()
    ? `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`
    : dateText(at);

/** `8 min ago`, `in 2 h`; the date after a week. Rounded down, so that nothing looks older than it is. */
export function relativeTime(at: Date, now: Date): string {
  const distance = at.getTime() - now.getTime();
  const span = Math.abs(distance);
  if (span < NOW_WITHIN) return "just now";
  if (span >= RELATIVE_WITHIN) return dayText(at, now);
  const text = spanText(span);
  return distance < 0 ? `${text} ago` : `in ${text}`;
}

function spanText(span: number): string {
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min`;
  if (span < DAY) return `${Math.floor(span / HOUR)} h`;
  return `${Math.floor(span / DAY)} d`;
}

/** How long the relative text of a moment stays correct. */
export function ticksEachMs(at: Date, now: Date): number {
  const span = Math.abs(at.getTime() - now.getTime());
  return span < MINUTE ? SECOND : span < HOUR ? 15 * SECOND : 5 * MINUTE;
}
