/** The service's clock: the sandbox moves it, and a computer's own may be wrong. */
export type ServiceClock = {
  /** When the page was rendered, which its first text counts from in the browser too. */
  now: string;
  /** What it is ahead of the computer's clock. */
  aheadMs: number;
};

/** Offsets by the time that brought them: Back shows a page that was rendered earlier, and its time is past by then. */
const seen = new Map<string, number>();
const MOST_SEEN = 100;

/** The clock of a page that was rendered at `now`, which is the present the first time that it is given. */
export function clockAt(now: string): ServiceClock {
  const aheadMs = seen.get(now) ?? Date.parse(now) - Date.now();
  seen.set(now, aheadMs);
  const [oldest] = seen.keys();
  if (seen.size > MOST_SEEN && oldest !== undefined) seen.delete(oldest);
  return { now, aheadMs };
}

/** The current time, by the service where the page says it. */
export const readClock = (clock: ServiceClock | undefined): Date =>
  new Date(Date.now() + (clock?.aheadMs ?? 0));
