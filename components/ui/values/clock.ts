/** The service's clock: the sandbox moves it, and a computer's own may be wrong. */
export type ServiceClock = {
  /** When the page was rendered, which its first text counts from in the browser too. */
  now: string;
  /** What it is ahead of the computer's clock. */
  aheadMs: number;
};

export const clockAt = (now: string): ServiceClock => ({
  now,
  aheadMs: Date.parse(now) - Date.now(),
});

/** The time of now, by the service where the page says it. */
export const readClock = (clock: ServiceClock | undefined): Date =>
  new Date(Date.now() + (clock?.aheadMs ?? 0));
