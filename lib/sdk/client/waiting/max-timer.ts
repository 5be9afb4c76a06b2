/** A longer timer fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
