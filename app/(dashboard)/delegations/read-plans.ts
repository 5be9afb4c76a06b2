import "server-only";
import { read, readPublic } from "@/app/_session/operations.ts";
import { priceOf } from "@/components/checkout/plan-price.ts";
import type { BindablePlan } from "@/components/delegations/delegation-values.ts";
import { distinctNames } from "@/components/ui/values/distinct-names.ts";
import { getRunning } from "@/lib/server/running.ts";

/** Of an account with more subscriptions, only these are offered to choose from. */
const NEWEST = 50;

/**
 * The plans a delegation can be restricted to, with the credits and the cost of a top-up: the first of those that the
 * account has ordered, and those that `named` asks for.
 */
export async function readOwnPlans(named: readonly string[] = []): Promise<BindablePlan[]> {
  const { chain } = await getRunning();
  const { items } = await read("listSubscriptions", { limit: NEWEST });
  const known = new Map(items.map(({ planId, available }) => [planId, available]));
  const creditsOf = async (planId: string) =>
    known.get(planId) ??
    (await read("listSubscriptions", { planId, limit: 1 })).items[0]?.available ??
    "0";
  const plans = await Promise.all(
    [...new Set([...named, ...known.keys()])].map(async (planId) => {
      const [plan, credits] = await Promise.all([
        readPublic("getPlan", { planId }),
        creditsOf(planId),
      ]);
      if (!plan) return null;
      const price = priceOf(plan, chain.deployment.usdc);
      if (!named.includes(planId) && (price.isFree || price.cents === null)) return null;
      return {
        planId: plan.planId,
        name: plan.metadata.main.name,
        isCard: price.isCard,
        currency: price.limitCurrency,
        credits,
        topUpCredits: String(plan.registry.credits.amount),
        topUpCents: (price.cents ?? 0n).toString(),
        creditsPerCall: String(plan.registry.credits.minAmount),
      };
    }),
  );
  const offered = plans.filter((plan) => plan !== null);
  const names = distinctNames(offered.map(({ planId, name }) => [planId, name] as const));
  return offered.map((plan) => ({ ...plan, name: names.get(plan.planId) ?? plan.name }));
}
