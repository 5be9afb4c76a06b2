import type { Subscription } from "@turnpike/payments/protocol";
import { DAY_MS } from "@/lib/text/durations.ts";
import { plural } from "@/lib/text/plural.ts";
import { dateText } from "../ui/values/time-text.ts";
import { daysLeft, NO_FORECAST, rateText, stateOf } from "./subscription-text.ts";

/** A subscription with the days since its first call of the last thirty; 0 where they were not read. */
export type UsedSubscription = Subscription & { daysUsed: number };

export type Outlook = {
  title: string;
  detail: string;
  /** When its credits or its access are over, in days from now; undefined while that is unknown or never. */
  days: number | undefined;
};

const LONGEST = 365;
/** With fewer days left, buying more is suggested. */
const SOON = 3;

/** Until when a subscription lasts: by its time or by its credits, whichever ends first. */
export function outlookOf(subscription: UsedSubscription, now: string): Outlook {
  const { isActive, endsAt, accessLimit, daysUsed } = subscription;
  const ends = endsAt ? dateText(new Date(endsAt)) : undefined;
  if (!isActive) {
    return stateOf(subscription, now) === "Expired"
      ? { title: `Expired ${ends}`, detail: "Calls are declined until you order again.", days: 0 }
      : {
          title: "No credits left",
          detail: "Calls are declined unless a delegation can top up.",
          days: 0,
        };
  }
  const untilEnd = endsAt ? (Date.parse(endsAt) - Date.parse(now)) / DAY_MS : undefined;
  const left = daysLeft(subscription, daysUsed);
  const lasting = left === undefined ? undefined : Number(left);
  if (untilEnd !== undefined && (lasting === undefined || untilEnd < lasting)) {
    const detail =
      accessLimit === "time"
        ? "Calls use no credits."
        : lasting === undefined
          ? `${NO_FORECAST}.`
          : "Unused credits expire with it.";
    return { title: `Expires ${ends}`, detail, days: untilEnd };
  }
  if (lasting !== undefined) {
    const detail = `${sentence(rateText(subscription, daysUsed))}.`;
    return { title: lastsText(lasting), detail, days: lasting };
  }
  return accessLimit === "time"
    ? { title: "Never expires", detail: "Calls use no credits.", days: undefined }
    : { title: "No forecast yet", detail: `${NO_FORECAST}.`, days: undefined };
}

/** Whether it ends within days although it is used. A pass that is still valid may renew automatically. */
export const endsSoon = (
  { requests30d, accessLimit, isActive }: UsedSubscription,
  { days }: Outlook,
): boolean =>
  requests30d > 0 && days !== undefined && days < SOON && !(accessLimit === "time" && isActive);

/** The first to end at the top; what is over comes last. */
export const firstToEnd = (
  subscriptions: readonly UsedSubscription[],
  now: string,
): UsedSubscription[] => {
  const rank = (each: UsedSubscription) =>
    each.isActive ? (outlookOf(each, now).days ?? Number.MAX_SAFE_INTEGER) : Infinity;
  // Two that are over are alike: their difference is NaN.
  return subscriptions.toSorted((a, b) => rank(a) - rank(b) || 0);
};

const lastsText = (days: number): string =>
  days === 0
    ? "Lasts less than a day"
    : days > LONGEST
      ? "Lasts more than a year"
      : `Lasts about ${plural(days, "day")}`;

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
