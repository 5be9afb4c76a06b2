import type { Subscription } from "@turnpike/payments/protocol";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import { DAY_SECS } from "@/lib/text/durations.ts";
import { plural } from "@/lib/text/plural.ts";

/** What is left of a plan: `96 credits`, or whether there is access. */
export function leftText({
  accessLimit,
  available,
  isActive,
}: Pick<Subscription, "accessLimit" | "available" | "isActive">): string {
  if (accessLimit === "time") return isActive ? "Access" : "No access";
  return plural(BigInt(available), "credit");
}

type Use = Pick<Subscription, "accessLimit" | "isActive">;

/** What another order of the plan is called. */
export const buyText = ({ accessLimit }: Pick<Use, "accessLimit">): string =>
  accessLimit === "time" ? "Buy access" : "Buy credits";

/** When an order's access is used up. */
export const whenOver = (accessLimit: Subscription["accessLimit"]): string =>
  accessLimit === "time" ? "when access expires" : "when credits run out";

/** What one does next with a subscription. */
export const actionOf = ({ accessLimit, isActive }: Use): string =>
  isActive ? "Mint access token" : buyText({ accessLimit });

/** Why a subscription that is not active can't be used. */
export const endedText = ({ accessLimit }: Use, name: string): string =>
  accessLimit === "time"
    ? `Your access to “${name}” has expired.`
    : `No credits left on “${name}”.`;

/** The state of a subscription at a moment: one that is over has expired, whatever credits it has left. */
export function stateOf(
  { isActive, endsAt }: Pick<Subscription, "isActive" | "endsAt">,
  now: string,
): "Active" | "Expired" | "Exhausted" {
  if (isActive) return "Active";
  return endsAt && Date.parse(endsAt) <= Date.parse(now) ? "Expired" : "Exhausted";
}

const LEAST_CALLS = 20;
const LEAST_DAYS = 3;

type Usage = Pick<Subscription, "accessLimit" | "available" | "creditsUsed30d" | "requests30d">;

/** Whether its calls are enough for a forecast, once they are spread over enough days. */
export const isCalledEnough = ({ accessLimit, requests30d }: Usage): boolean =>
  accessLimit !== "time" && requests30d >= LEAST_CALLS;

/** The whole days that the credits last at the rate they were used; undefined while there is too little to say. */
export function daysLeft(usage: Usage, daysUsed: number): bigint | undefined {
  const used = BigInt(usage.creditsUsed30d);
  if (!isCalledEnough(usage) || daysUsed < LEAST_DAYS || used === 0n) return undefined;
  return (BigInt(usage.available) * BigInt(daysUsed)) / used;
}

export const NO_FORECAST = `Forecast available after ${LEAST_CALLS} calls over ${LEAST_DAYS} days`;

/** What a forecast rests on. */
export const rateText = ({ requests30d }: Pick<Usage, "requests30d">, daysUsed: number): string =>
  `at the rate of ${plural(requests30d, "call")} in the last ${plural(daysUsed, "day")}`;

/**
 * How long the credits last at the rate they were used, with what that rests on; or when there will be a forecast.
 * `daysUsed` are the days since the first call of the last thirty.
 */
export function forecastText(usage: Usage, daysUsed: number): string {
  if (usage.accessLimit === "time") return "Calls use no credits";
  const days = daysLeft(usage, daysUsed);
  if (days === undefined) return NO_FORECAST;
  const left = days === 0n ? "Less than a day" : `About ${plural(days, "day")}`;
  return `${left} of credits, ${rateText(usage, daysUsed)}`;
}

/** The days since the first settled call of a series, today included; 0 without one. */
export function daysUsedIn({ buckets, bucketSecs }: ActivitySeries): number {
  const first = buckets.findIndex(({ counts }) => counts.settled > 0);
  return first === -1 ? 0 : Math.ceil(((buckets.length - first) * bucketSecs) / DAY_SECS);
}
