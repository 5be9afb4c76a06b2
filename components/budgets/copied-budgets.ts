import type { Budgets, InputOf } from "@turnpike/payments/protocol";
import { amountIn } from "./budget-text.ts";
import { lowestOf } from "./lowest-limits.ts";

type Copy = Omit<InputOf<"setDelegationBudgets">, "delegationId">;

/** Budgets to set on another delegation: without their use. Null when they say nothing. */
export function copyOf({ limits, allow, approval }: Budgets): Copy | null {
  if (limits.length === 0 && !allow && !approval) return null;
  return {
    limits: lowestOf(limits).map(({ period, unit, limit, builder, agentId }) => ({
      period,
      unit,
      limit,
      ...(builder && { builder }),
      ...(agentId && { agentId }),
    })),
    ...(allow && { allow }),
    ...(approval && { approval }),
  };
}

/** Whether they have amounts of money, which mean nothing in another currency. */
export const countMoney = ({ limits, approval }: Budgets): boolean =>
  limits.some(({ unit }) => unit === "money") || approval?.above !== undefined;

/** What is copied, to be listed: `20.00 USDC per day`. */
export function copiedTexts({ limits, allow, approval, currency }: Budgets): string[] {
  const amounts = lowestOf(limits).map((limit) => {
    const scope = limit.builder ? " for one builder" : limit.agentId ? " for one agent" : "";
    return `${amountIn(limit, limit.limit, currency)} per ${limit.period}${scope}`;
  });
  return [
    ...amounts,
    ...(allow ? ["the list of who can be paid"] : []),
    ...(approval ? ["the rules for approvals"] : []),
  ];
}
