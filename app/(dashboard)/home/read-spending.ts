import "server-only";
import type { Subscription } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import { firstToEnd } from "@/components/subscriptions/outlook.ts";
import { daysUsedIn, isCalledEnough } from "@/components/subscriptions/subscription-text.ts";
import { withDistinctNames } from "@/components/subscriptions/with-distinct-names.ts";
import { countedIn } from "@/lib/console/paid-in.ts";
import { attempt } from "./attempt.ts";

/** Of so many, those that end first are shown; Subscriptions has them all. */
const READ = 100;
const SHOWN = 5;
const MOST_DAYS = 30;

/** What is left of a subscriber's plans and budgets. Parts that fail are left out. */
export async function readSpending(now: string) {
  const [subscriptions, budgets] = await Promise.all([
    attempt("subscriptions", read("listSubscriptions", { limit: READ })),
    attempt("budgets", read("getBudgets", {})),
  ]);
  return {
    subscriptions:
      subscriptions &&
      (await Promise.all(
        firstToEnd(withDistinctNames(subscriptions.items).map(usedForDays), now)
          .slice(0, SHOWN)
          .map(withDaysUsed),
      )),
    budgets: budgets && { ...budgets, currency: countedIn(budgets.currency) },
  };
}

/** As if the first call were as long ago as can be, to tell which end first before each is read. */
const usedForDays = (each: Subscription) => ({ ...each, daysUsed: MOST_DAYS });

/** A forecast needs the days since the first call: read only where there are calls enough for one. */
async function withDaysUsed(each: Subscription) {
  const { planId } = each;
  const month = isCalledEnough(each)
    ? await attempt(
        "forecast",
        read("getActivitySeries", { role: "subscriber", planId, range: "30d" }),
      )
    : undefined;
  return { ...each, daysUsed: month ? daysUsedIn(month) : 0 };
}
