import type { DelegationEffects } from "@/lib/console/delegation-effects.ts";
import { auditNote, type Context, requireCaller } from "../context.ts";
import { tokenAnswer } from "../tokens/token-list.ts";
import { getDelegationRecord } from "./delegations.ts";

/** What would stop working if the delegation were revoked. */
export async function getDelegationEffects(
  context: Context,
  { delegationId }: { delegationId: string },
): Promise<DelegationEffects> {
  const { account } = await getDelegationRecord(context, delegationId);
  const { tokens, ...dependents } = await context.ports.holdings.dependentsOf(delegationId);
  const now = await context.ports.clock.now();
  const paid = await context.ports.renewals.listPaidBy({ account, delegationId });
  const renewals = paid.map(({ planId, planName: name }) => ({ planId, name }));
  return {
    delegationId,
    ...dependents,
    renewals,
    tokens: tokens.map((token) => tokenAnswer(token, now)),
  };
}

/** Revokes all the caller's delegations and every token under them immediately. */
export async function revokeAllDelegations(context: Context) {
  const { account } = requireCaller(context);
  const note = auditNote(context, "delegation.revoke-all", account);
  const { tokens, delegations } = await context.ports.delegations.revokeAll(account, note);
  return { success: true, delegationsRevoked: delegations, tokensRevoked: tokens } as const;
}
