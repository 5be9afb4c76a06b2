import "server-only";
import type { Subscription } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import { daysUsedIn, isCalledEnough } from "@/components/subscriptions/subscription-text.ts";
import { withDistinctNames } from "@/components/subscriptions/with-distinct-names.ts";
import { countedIn } from "@/lib/console/paid-in.ts";
import { attempt } from "./attempt.ts";

/** Subscriptions has them all. */
const MOST_SUBSCRIPTIONS = 5;

/** What is left of a subscriber's plans and budgets. Parts that fail are left out. */
export async function readSpending() {
  const [subscriptions, budgets] = await Promise.all([
    attempt("subscriptions", read("listSubscriptions", { limit: MOST_SUBSCRIPTIONS })),
    attempt("budgets", read("getBudgets", {})),
  ]);
  return {
    subscriptions:
      subscriptions &&
      (await Promise.all(withDistinctNames(subscriptions.items).map(withDaysUsed))),
    budgets: budgets && { ...budgets, currency: countedIn(budgets.currency) },
  };
}

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
