import { isFree, type ParsedInputOf, PaymentsError } from "@turnpike/payments/protocol";
import { type Context, requireCaller } from "../context.ts";
import type { DelegationRecord, PlanRecord } from "../records.ts";

/** The delegation the caller's API key acts under, if it was made with one. */
export async function findKeyRoot(context: Context): Promise<DelegationRecord | null> {
  const { keyId } = requireCaller(context);
  return keyId === null ? null : context.ports.apiKeys.findRoot(keyId);
}

/** Refuses another delegation than that of the caller's API key, or what that one does not count, where the key has a root limit. */
export async function requireWithinRoot(context: Context, delegationId?: string): Promise<void> {
  const root = context.caller && (await findKeyRoot(context));
  if (!root || root.delegationId === delegationId) return;
  throw new PaymentsError(
    "forbidden",
    `This API key spends only within its root limit, delegation ${root.delegationId}, which pays for plans in stablecoins.`,
    {
      hint: "Use an API key without a root limit for cards, other tokens, other delegations and limits, withdrawals and refunds, and to replace keys with another limit.",
    },
  );
}

/** Refuses to pay for a plan beside that limit: under another delegation, or in a token without a par value, which no limit counts. */
export async function requirePaidWithinRoot(
  context: Context,
  { price }: PlanRecord,
  delegationId: string | undefined,
): Promise<void> {
  if (isFree(price)) return;
  const { currency } = context.ports.rails.getByPrice(price).quote(price);
  await requireWithinRoot(context, currency === null ? undefined : delegationId);
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
