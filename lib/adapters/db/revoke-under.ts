import { and, inArray, isNull, type SQL } from "drizzle-orm";
import { databaseNow } from "./audit.ts";
import type { Orm } from "./client.ts";
import { delegations, tokens } from "./schema.ts";

/**
 * Revokes tokens, then delegations, each in the order of its key: the lock order of the whole ledger. Returns what
 * was not revoked before.
 */
export async function revokeUnder(
  transaction: Orm,
  where: { tokens: SQL | undefined; delegations: SQL | undefined },
) {
  const liveTokens = transaction
    .select({ id: tokens.jti })
    .from(tokens)
    .where(and(isNull(tokens.revokedAt), where.tokens))
    .orderBy(tokens.jti)
    .for("no key update");
  const endedTokens = await transaction
    .update(tokens)
    .set({ revokedAt: databaseNow })
    .where(inArray(tokens.jti, liveTokens))
    .returning({
      tokenId: tokens.jti,
      planId: tokens.planId,
      delegationId: tokens.delegationId,
    });
  const liveDelegations = transaction
    .select({ id: delegations.delegationId })
    .from(delegations)
    .where(and(isNull(delegations.revokedAt), where.delegations))
    .orderBy(delegations.delegationId)
    .for("no key update");
  const endedDelegations = await transaction
    .update(delegations)
    .set({ revokedAt: databaseNow })
    .where(inArray(delegations.delegationId, liveDelegations))
    .returning({ delegationId: delegations.delegationId });
  return { tokens: endedTokens, delegations: endedDelegations };
}
