import type { Limit } from "./budget-text.ts";

/** One limit for each period, unit and builder or agent: budgets that were set before that was the rule may have more. */
export function lowestOf(limits: Limit[]): Limit[] {
  const lowest = new Map<string, Limit>();
  for (const limit of limits) {
    const key = JSON.stringify([limit.period, limit.unit, limit.builder, limit.agentId]);
    const known = lowest.get(key);
    if (!known || BigInt(limit.limit) < BigInt(known.limit)) lowest.set(key, limit);
  }
  return [...lowest.values()];
}
