import "server-only";
import { read, readPublic } from "@/app/_session/operations.ts";
import { priceOf } from "@/components/checkout/plan-price.ts";
import type { BindablePlan } from "@/components/delegations/delegation-values.ts";
import { distinctNames } from "@/components/ui/values/distinct-names.ts";
import { getRunning } from "@/lib/server/running.ts";
import { readAll } from "../read-all.ts";

/** Of an account with more subscriptions, only those ordered last are offered to choose from. */
const MOST_OFFERED = 50;

/**
 * The plans a delegation can be restricted to, with the credits and the cost of a top-up: those that the account ordered
 * last, and those that `named` asks for.
 */
export async function readOwnPlans(named: readonly string[] = []): Promise<BindablePlan[]> {
  const { chain } = await getRunning();
  const { items } = await readAll((query) => read("listSubscriptions", query));
  const credits = new Map(items.map(({ planId, available }) => [planId, available]));
  const newest = items.toSorted((a, b) => orderedAt(b) - orderedAt(a)).slice(0, MOST_OFFERED);
  const plans = await Promise.all(
    [...new Set([...named, ...newest.map(({ planId }) => planId)])].map(async (planId) => {
      const plan = await readPublic("getPlan", { planId });
      if (!plan) return null;
      const price = priceOf(plan, chain.deployment.usdc);
      if (!named.includes(planId) && (price.isFree || price.cents === null)) return null;
      return {
        planId: plan.planId,
        name: plan.metadata.main.name,
        isCard: price.isCard,
        currency: price.limitCurrency,
        isTimePlan: plan.metadata.plan.accessLimit === "time",
        credits: credits.get(planId) ?? "0",
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

const orderedAt = ({ lastOrderAt }: { lastOrderAt?: string | undefined }): number =>
  lastOrderAt ? Date.parse(lastOrderAt) : 0;
