import type { Subscription } from "@turnpike/payments/protocol";
import { distinctNames } from "../ui/values/distinct-names.ts";

/** The same subscriptions, with their plans' names told apart. */
export function withDistinctNames(subscriptions: readonly Subscription[]): Subscription[] {
  const names = distinctNames(subscriptions.map(({ planId, planName }) => [planId, planName]));
  return subscriptions.map((each) => ({
    ...each,
    planName: names.get(each.planId) ?? each.planName,
  }));
}
