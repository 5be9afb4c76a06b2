/** One day, in seconds. */
export const ONE_DAY_DURATION = 86_400n;
/** Seven days, in seconds. */
export const ONE_WEEK_DURATION = 604_800n;
/** A mean month of the Gregorian calendar, in seconds. */
export const ONE_MONTH_DURATION = 2_629_746n;
/** A mean year of the Gregorian calendar, in seconds. */
export const ONE_YEAR_DURATION = 31_557_600n;

const MAX_DURATION_SECS = 1000n * ONE_YEAR_DURATION;

type Counted = { minAmount: bigint; maxAmount: bigint; durationSecs: bigint };

/** What is wrong between the members of credits that are each valid alone (§2.11). */
export function creditsErrors({ minAmount, maxAmount, durationSecs }: Counted) {
  const errors: { path: keyof Counted; message: string }[] = [];
  if (minAmount > maxAmount) {
    errors.push({ path: "minAmount", message: "The minimum is above the maximum." });
  }
  if (minAmount < 1n) {
    errors.push({ path: "minAmount", message: "A request uses at least one credit." });
  }
  if (durationSecs > MAX_DURATION_SECS) {
    errors.push({ path: "durationSecs", message: "Longer than a thousand years." });
  }
  return errors;
}
