const OVERDUE_SECS = 300;

/** When work last succeeded. Until it first does, its time counts from the start. */
export type Deadline = {
  markDone: () => void;
  /** Null before the first success. */
  secsAgo: () => number | null;
  /** `<what> for <seconds> s` once it has not succeeded for five minutes; else null. */
  findOverdue: () => string | null;
};

/**
 * Makes a {@link Deadline}. Health needs one for each comparison: what nothing compares cannot differ, so one that always fails
 * would look like agreement.
 *
 * @example const compared = createDeadline("not compared");
 */
export function createDeadline(
  what: string,
  now: () => number = () => performance.now(),
): Deadline {
  const startedAt = now();
  let doneAt: number | null = null;
  const secsSince = (at: number) => Math.round((now() - at) / 1000);
  return {
    markDone() {
      doneAt = now();
    },
    secsAgo: () => (doneAt === null ? null : secsSince(doneAt)),
    findOverdue() {
      const secs = secsSince(doneAt ?? startedAt);
      return secs > OVERDUE_SECS ? `${what} for ${secs} s` : null;
    },
  };
}
