import type { DelegationEffects } from "@/lib/console/delegation-effects.ts";
import { auditNote, type Context, requireCaller } from "../context.ts";
import { tokenAnswer } from "../tokens/token-list.ts";
import { findDelegation } from "./delegations.ts";

/** What would stop if the delegation were revoked, to be read before it is. */
export async function getDelegationEffects(
  context: Context,
  { delegationId }: { delegationId: string },
): Promise<DelegationEffects> {
  await findDelegation(context, delegationId);
  const { tokens, ...dependents } = await context.ports.holdings.dependentsOf(delegationId);
  const now = await context.ports.clock.now();
  return { delegationId, ...dependents, tokens: tokens.map((token) => tokenAnswer(token, now)) };
}

/** Ends every delegation of the caller's and every token under them, at once. */
export async function revokeAllDelegations(context: Context) {
  const { account } = requireCaller(context);
  const note = auditNote(context, "delegation.revoke-all", account);
  const { tokens, delegations } = await context.ports.delegations.revokeAll(account, note);
  return { success: true, delegationsRevoked: delegations, tokensRevoked: tokens } as const;
}
