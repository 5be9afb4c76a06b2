import { isFree, type ParsedInputOf } from "@turnpike/payments/protocol";
import { type Context, requireCaller } from "../context.ts";
import type { DelegationRecord, PlanRecord } from "../records.ts";

/** The delegation the caller's API key acts under, if it was made with one. */
export async function findKeyRoot(context: Context): Promise<DelegationRecord | null> {
  const { keyId } = requireCaller(context);
  return keyId === null ? null : context.ports.apiKeys.findRoot(keyId);
}

/** The order with the delegation of the caller's API key, where it names none and the owner must sign for the rail. */
export async function withKeyRoot(
  context: Context,
  order: ParsedInputOf<"orderPlan">,
  { price }: PlanRecord,
): Promise<ParsedInputOf<"orderPlan">> {
  const paysUnderRoot = context.ports.rails.getByPrice(price).needsOwnerSignature && !isFree(price);
  const root = paysUnderRoot && !order.delegationId ? await findKeyRoot(context) : null;
  return root ? { ...order, delegationId: root.delegationId } : order;
}
