export const MINUTE_SECS = 60;
export const HOUR_SECS = 3_600;
export const DAY_SECS = 24 * HOUR_SECS;
export const DAY_MS = DAY_SECS * 1_000;
export const MONTH_SECS = 30 * DAY_SECS;
/** 365 days, as duration fields count a year. */
export const YEAR_SECS = 365 * DAY_SECS;
