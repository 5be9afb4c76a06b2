/**
 * How long before its end a period is renewed, and how long before that the subscriber is notified; less for short periods.
 */
const RENEW_BEFORE_SECS = 3_600n;
const TELL_BEFORE_SECS = 3n * 86_400n;

const before = (end: Date, secs: bigint): Date => new Date(end.getTime() - Number(secs) * 1000);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** When a period that ends then is ordered again. */
export const renewalDueAt = (end: Date, durationSecs: bigint): Date =>
  before(end, least(RENEW_BEFORE_SECS, durationSecs / 10n));

/** From when on the subscriber is notified of the renewal. */
export const noticeAt = (end: Date, durationSecs: bigint): Date =>
  before(end, least(TELL_BEFORE_SECS, durationSecs / 2n));

/** When a failed attempt is made again: soon, then daily. Undefined when there were enough. */
export const nextAttemptAt = (now: Date, attempt: number): Date | undefined => {
  const hours = [1, 6, 24, 24][attempt];
  return hours === undefined ? undefined : new Date(now.getTime() + hours * 3_600_000);
};
