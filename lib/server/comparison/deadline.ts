const OVERDUE_SECS = 300;

/**
 * Knows when work last succeeded; until it first does, its time counts from the start. Health needs one for each comparison:
 * what nothing compares cannot differ, so one that always fails would look like agreement.
 *
 * @example const compared = createDeadline("not compared");
 */
export function createDeadline(what: string, now: () => number = () => performance.now()) {
  const startedAt = now();
  let doneAt: number | null = null;
  const secsSince = (at: number) => Math.round((now() - at) / 1000);
  return {
    markDone() {
      doneAt = now();
    },
    /** Null before the first success. */
    secsAgo: () => (doneAt === null ? null : secsSince(doneAt)),
    /** `<what> for <seconds> s` once it has not succeeded for five minutes; else null. */
    findOverdue(): string | null {
      const secs = secsSince(doneAt ?? startedAt);
      return secs > OVERDUE_SECS ? `${what} for ${secs} s` : null;
    },
  };
}
