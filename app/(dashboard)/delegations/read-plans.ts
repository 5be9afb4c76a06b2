import "server-only";
import { read, readPublic } from "@/app/_session/operations.ts";
import { priceOf } from "@/components/checkout/plan-price.ts";
import type { BindablePlan } from "@/components/delegations/delegation-values.ts";
import { getRunning } from "@/lib/server/running.ts";

/**
 * The plans a delegation can be restricted to, with the credits and the cost of a top-up: those the account has ordered,
 * and those that `named` asks for.
 */
export async function readOwnPlans(named: readonly string[] = []): Promise<BindablePlan[]> {
  const { chain } = await getRunning();
  const { items } = await read("listSubscriptions", { limit: 50 });
  const credits = new Map(named.map((planId) => [planId, "0"]));
  for (const { planId, available } of items) credits.set(planId, available);
  const plans = await Promise.all(
    [...credits].map(async ([planId, available]) => {
      const plan = await readPublic("getPlan", { planId });
      if (!plan) return null;
      const price = priceOf(plan, chain.deployment.usdc);
      if (!named.includes(planId) && (price.isFree || price.cents === null)) return null;
      return {
        planId: plan.planId,
        name: plan.metadata.main.name,
        isCard: price.isCard,
        currency: price.limitCurrency,
        credits: available,
        topUpCredits: String(plan.registry.credits.amount),
        topUpCents: (price.cents ?? 0n).toString(),
        creditsPerCall: String(plan.registry.credits.minAmount),
      };
    }),
  );
  return plans.filter((plan) => plan !== null);
}
