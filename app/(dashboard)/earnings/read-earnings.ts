import "server-only";
import { read } from "@/app/_session/operations.ts";
import type { TopSubscriber } from "@/components/earnings/earning-tables.tsx";
import type { Part } from "@/components/earnings/money-points.ts";
import type { Earnings } from "@/lib/console/figures.ts";
import type { EarningsView } from "./earnings-view.ts";

const MOST_PARTS = 3;
const MOST_PLANS = 10;
const MOST_SUBSCRIBERS = 10;
const NONE = "–";

/** Settled calls over time: of the busiest plans or agents, and in total. */
export async function readParts(earnings: Earnings, { chart, range, includeTest }: EarningsView) {
  const sellers =
    chart === "plans"
      ? earnings.plans.map(({ planId, planName, requestsSettled }) => ({
          id: planId,
          name: planName,
          input: { planId },
          requestsSettled,
        }))
      : earnings.agents.flatMap(({ agentId, agentName, requestsSettled }) =>
          agentId
            ? [{ id: agentId, name: agentName ?? agentId, input: { agentId }, requestsSettled }]
            : [],
        );
  const largest = sellers
    .filter(({ requestsSettled }) => requestsSettled > 0)
    .sort((a, b) => b.requestsSettled - a.requestsSettled)
    .slice(0, MOST_PARTS);
  const [all, ...series] = await Promise.all([
    read("getActivitySeries", { range, includeTest }),
    ...largest.map(({ input }) => read("getActivitySeries", { range, includeTest, ...input })),
  ]);
  const parts = largest.flatMap(({ id, name }, index): Part[] => {
    const points = series[index];
    return points ? [{ id, name, series: points }] : [];
  });
  return { all, parts };
}

/** The subscribers who used the most credits of the busiest plans. */
export async function readTopSubscribers(
  earnings: Earnings,
  includeTest: boolean,
): Promise<TopSubscriber[]> {
  const plans = [...earnings.plans]
    .sort((a, b) => b.requestsSettled - a.requestsSettled)
    .slice(0, MOST_PLANS);
  const lists = await Promise.all(
    plans.map(({ planId }) => read("listSubscribers", { planId, limit: 100, includeTest })),
  );
  const byAddress = new Map<string, TopSubscriber>();
  lists.forEach(({ items }, index) => {
    const planName = plans[index]?.planName ?? NONE;
    for (const { address, creditsUsed, orders, lastOrderAt } of items) {
      const known = byAddress.get(address);
      byAddress.set(address, {
        address,
        creditsUsed: (BigInt(known?.creditsUsed ?? 0) + BigInt(creditsUsed)).toString(),
        orders: (known?.orders ?? 0) + orders,
        plans: [...(known?.plans ?? []), planName],
        lastOrderAt: known && known.lastOrderAt > lastOrderAt ? known.lastOrderAt : lastOrderAt,
      });
    }
  });
  return [...byAddress.values()]
    .sort((a, b) => (BigInt(a.creditsUsed) < BigInt(b.creditsUsed) ? 1 : -1))
    .slice(0, MOST_SUBSCRIBERS);
}
