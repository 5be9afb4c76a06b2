import { and, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { databaseNow } from "./audit.ts";
import { type Orm, rowsOf } from "./client.ts";
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
  await endWaiting(transaction, {
    tokens: endedTokens.map(({ tokenId }) => tokenId),
    delegations: endedDelegations.map(({ delegationId }) => delegationId),
  });
  return { tokens: endedTokens, delegations: endedDelegations };
}

/**
 * Ends what waits for a person under revoked tokens and delegations: requests for an approval, and orders that wait for a
 * confirmation, which are cancelled once they are looked at. Orders are locked before tokens: one that is locked is being
 * looked at, and a request that is locked is being decided.
 */
export async function endWaiting(
  transaction: Orm,
  revoked: { tokens: string[]; delegations: string[] },
): Promise<void> {
  const jtis = sql.param(revoked.tokens);
  const delegationIds = sql.param(revoked.delegations);
  await rowsOf(
    transaction,
    sql`update approvals set state = 'expired' where approval_id in (
      select approval_id from approvals where state in ('pending', 'approved')
        and account in (select account from tokens where jti = any (${jtis})
          union all select account from delegations where delegation_id = any (${delegationIds}))
        and (jti = any (${jtis}) or delegation_id = any (${delegationIds}))
      for no key update skip locked)`,
  );
  await rowsOf(
    transaction,
    sql`update orders set due_at = app_now() where order_id in (
      select order_id from orders where due_at is not null and status = 'requires_action'
        and (jti = any (${jtis}) or delegation_id = any (${delegationIds}))
      for no key update skip locked)`,
  );
}
