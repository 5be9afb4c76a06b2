import { isFree, type ParsedInputOf } from "@turnpike/payments/protocol";
import { type Context, requireCaller } from "../context.ts";
import { orderPlan } from "../orders/orders.ts";
import { getPlanRecord } from "../plans/plans.ts";
import type { DelegationRecord } from "../records.ts";

/** The delegation the caller's API key acts under, if it was made with one. */
export async function findKeyRoot(context: Context): Promise<DelegationRecord | null> {
  const { keyId } = requireCaller(context);
  return keyId === null ? null : context.ports.apiKeys.findRoot(keyId);
}

/** Orders a plan; by an API key with a root limit and without a delegation named, under that limit. */
export async function orderUnderKey(context: Context, input: ParsedInputOf<"orderPlan">) {
  const root = input.delegationId ? null : await findKeyRoot(context);
  if (!root) return orderPlan(context, input);
  const { price } = await getPlanRecord(context, input.planId);
  const paysUnderRoot = context.ports.rails.getByPrice(price).needsOwnerSignature && !isFree(price);
  return orderPlan(context, paysUnderRoot ? { ...input, delegationId: root.delegationId } : input);
}
