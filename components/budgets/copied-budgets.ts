import type { Budgets } from "@turnpike/payments/protocol";
import { amountIn } from "./budget-text.ts";
import { lowestOf } from "./lowest-limits.ts";

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
