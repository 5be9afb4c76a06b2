import "server-only";
import { notFound } from "next/navigation";
import type { Opens } from "@/components/checkout/ask-first.tsx";
import { priceOf } from "@/components/checkout/plan-price.ts";
import { anyAnswers } from "@/lib/probe/any-answers.ts";
import { getRunning } from "@/lib/server/running.ts";
import { read, readPublic } from "../_session/operations.ts";
import { requireSession } from "../_session/session.ts";

const MAX_ORDERS = 50;
const MAX_PLANS = 20;

export type Purchase = Awaited<ReturnType<typeof readPurchase>>;

/** A plan with its price, its agents, and the orders this account has made of it, newest first. */
export async function readPurchase(planId: string) {
  const { chain } = await getRunning();
  const plan = await readPublic("getPlan", { planId });
  if (!plan) notFound();
  const [agents, orders, own] = await Promise.all([
    readPublic("getPlanAgents", { planId, limit: MAX_PLANS }),
    read("listOrders", { planId, limit: MAX_ORDERS }),
    read("listOrders", { planId, withoutTopUps: true, limit: MAX_ORDERS }),
  ]);
  const { account } = await requireSession();
  const isOwn = plan.owner === account.address;
  // Only the owner and existing subscribers can see a draft.
  if (plan.state === "draft" && !isOwn && orders.items.length === 0) notFound();
  return {
    plan,
    price: priceOf(plan, chain.deployment.usdc),
    /** The plan's first agent first. */
    agents: agents?.items.toReversed() ?? [],
    orders: orders.items,
    /** Those that were placed here or by an API key: calls make the others, any number of them. */
    own: own.items,
  };
}

/** Why an order would open nothing now: no agent accepts the plan, or none of them answers. */
export async function readOpens({ agents }: Pick<Purchase, "agents">): Promise<Opens | undefined> {
  if (agents.length === 0) return "no-agent";
  const [{ outbound }, { account }] = await Promise.all([getRunning(), requireSession()]);
  const urls = agents.flatMap(({ metadata }) =>
    metadata.agent.endpoints.flatMap((endpoint) => Object.values(endpoint)),
  );
  return (await anyAnswers(outbound, account.address, urls)) ? undefined : "no-answer";
}

/** Other plans of the same agents. `twin` grants the same and is paid the other way, by card or on chain. */
export async function readAlternatives({ plan, agents }: Pick<Purchase, "plan" | "agents">) {
  const lists = await Promise.all(
    agents.map(({ agentId }) => readPublic("getAgentPlans", { agentId, limit: MAX_PLANS })),
  );
  const others = new Map(
    lists
      .flatMap((list) => list?.items ?? [])
      .filter(
        ({ planId, state, archivedAt }) =>
          planId !== plan.planId && state === "listed" && !archivedAt,
      )
      .map((other) => [other.planId, other]),
  );
  const plans = [...others.values()];
  const { credits, price } = plan.registry;
  const twin = plans.find(
    ({ registry, metadata }) =>
      registry.price.isCrypto !== price.isCrypto &&
      registry.price.amounts.length > 0 &&
      price.amounts.length > 0 &&
      registry.credits.amount === credits.amount &&
      String(registry.credits.minAmount) === String(credits.minAmount) &&
      String(registry.credits.maxAmount) === String(credits.maxAmount) &&
      String(registry.credits.durationSecs) === String(credits.durationSecs) &&
      metadata.plan.accessLimit === plan.metadata.plan.accessLimit,
  );
  return { plans, twin };
}
