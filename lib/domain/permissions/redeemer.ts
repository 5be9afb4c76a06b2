import { PlanRedemptionType } from "@turnpike/payments/protocol";
import type { PermissionFacts, ReadFacts } from "./permission-facts.ts";

/** Whether the caller may redeem the plan's credits (§2.12). */
export function isRedeemer(
  caller: Pick<ReadFacts["caller"], "account" | "isOperator">,
  plan: Pick<NonNullable<PermissionFacts["plan"]>, "redemptionType" | "callerIsRedeemer" | "owner">,
): boolean {
  switch (plan.redemptionType) {
    case PlanRedemptionType.ONLY_GLOBAL_ROLE:
      return caller.isOperator;
    case PlanRedemptionType.ONLY_PLAN_ROLE:
      return plan.callerIsRedeemer;
    default:
      return plan.owner === caller.account;
  }
}
