import type { X402PaymentRequired } from "../../protocol/payment-required.ts";
import type { Plan } from "../../protocol/plans/plan.ts";
import { type buildRequirement, withoutQuery } from "../requirement.ts";
import { freeze } from "./known-tokens.ts";

/** Builds the requirement of a call, or has it. */
export type BuildRequirement = <Input>(
  ...given: Parameters<typeof buildRequirement<Input>>
) => X402PaymentRequired | Promise<X402PaymentRequired>;

type Built = { plans: readonly Promise<Plan>[]; requirement: X402PaymentRequired };

/** Of one route, because callers choose the URLs of a route with parameters. */
const MAX_URLS = 200;

/**
 * The same builder, which builds the requirement of a fixed price once for each URL without its query, until its plans are read
 * again: with a lease, it and its text would take a tenth of a call. What it returns is frozen, because many calls share it.
 */
export function buildOnce(build: BuildRequirement): BuildRequirement {
  const known = new WeakMap<object, Map<string, Built>>();
  return (route, call, service, onUnpriced) => {
    if (typeof route.credits !== "bigint") return build(route, call, service, onUnpriced);
    const plans = [
      ...(route.price === undefined ? [] : [service.readPricedPlan(route.price)]),
      ...route.planIds.map(service.readPlan),
    ];
    const ofRoute = known.get(route) ?? new Map<string, Built>();
    const url = withoutQuery(call.resource);
    const built = ofRoute.get(url);
    if (built?.plans.every((plan, index) => plan === plans[index])) return built.requirement;
    return Promise.resolve(build(route, call, service, onUnpriced)).then((requirement) => {
      if (ofRoute.size >= MAX_URLS) ofRoute.clear();
      known.set(route, ofRoute.set(url, { plans, requirement: freeze(requirement) }));
      return requirement;
    });
  };
}
