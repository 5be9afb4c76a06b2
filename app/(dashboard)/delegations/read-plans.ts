import "server-only";
import { read, readPublic } from "@/app/_session/operations.ts";
import { priceOf } from "@/components/checkout/plan-price.ts";
import { getRunning } from "@/lib/server/running.ts";

/** The plans the account has ordered, with the credits and the cost of a top-up. */
export async function readOwnPlans() {
  const { chain } = await getRunning();
  const { items } = await read("listSubscriptions", { limit: 50 });
  const plans = await Promise.all(
    items.map(async (subscription) => {
      const plan = await readPublic("getPlan", { planId: subscription.planId });
      if (!plan) return null;
      const price = priceOf(plan, chain.deployment.usdc);
      if (price.isFree || price.cents === null) return null;
      return {
        planId: plan.planId,
        name: plan.metadata.main.name,
        isCard: price.isCard,
        currency: price.limitCurrency,
        credits: subscription.available,
        topUpCredits: String(plan.registry.credits.amount),
        topUpCents: price.cents.toString(),
        creditsPerCall: String(plan.registry.credits.minAmount),
      };
    }),
  );
  return plans.filter((plan) => plan !== null);
}
