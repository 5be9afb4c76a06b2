import { isFree, type ParsedInputOf, schemeOfPrice } from "@turnpike/payments/protocol";
import { type Context, requireCaller } from "../context.ts";
import type { DelegationRecord, PlanRecord } from "../records.ts";

/** The delegation the caller's API key spends from on its own, if the key was created with one. */
export async function findKeyRoot(context: Context): Promise<DelegationRecord | null> {
  const { keyId } = requireCaller(context);
  return keyId === null ? null : context.ports.apiKeys.findRoot(keyId);
}

/** The order with the delegation of the caller's API key, where it names none and the plan is paid on chain. */
export async function withKeyRoot(
  context: Context,
  order: ParsedInputOf<"orderPlan">,
  { price }: PlanRecord,
): Promise<ParsedInputOf<"orderPlan">> {
  const isOnChain = schemeOfPrice(price) === "svc:erc4337" && !isFree(price);
  const root = isOnChain && !order.delegationId ? await findKeyRoot(context) : null;
  return root ? { ...order, delegationId: root.delegationId } : order;
}
