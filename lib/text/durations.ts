export const HOUR_SECS = 3_600;
export const DAY_SECS = 24 * HOUR_SECS;
export const DAY_MS = 1_000 * DAY_SECS;
