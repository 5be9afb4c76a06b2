import { and, eq, sql } from "drizzle-orm";
import type { Orm } from "./client.ts";
import { isLive } from "./rows.ts";
import { delegations } from "./schema.ts";

/** A part of a delegation's limit, in its minor units: one transaction of it. */
type Spending = { delegationId: string; cents: bigint };

export type DelegationLimit = "revoked" | "expired" | "maxTransactions" | "spendingLimitCents";

/** Sets the part aside; the limit that leaves too little for it, or null. */
export async function reserveOnDelegation(
  transaction: Orm,
  { delegationId: id, cents }: Spending,
): Promise<DelegationLimit | null> {
  const [row] = await transaction
    .update(delegations)
    .set({
      reservedCents: sql`${delegations.reservedCents} + ${cents}`,
      transactionCount: sql`${delegations.transactionCount} + 1`,
    })
    .where(
      and(
        eq(delegations.delegationId, id),
        isLive(delegations),
        sql`${delegations.spentCents} + ${delegations.reservedCents} + ${cents} <= ${delegations.spendingLimitCents}`,
        sql`${delegations.transactionCount} < coalesce(${delegations.maxTransactions}, ${delegations.transactionCount} + 1)`,
      ),
    )
    .returning({ id: delegations.delegationId });
  if (row) return null;
  const [current] = await transaction
    .select({
      limit: sql<DelegationLimit>`case when ${delegations.revokedAt} is not null then 'revoked'
        when ${delegations.expiresAt} <= app_now() then 'expired'
        when ${delegations.transactionCount} >= ${delegations.maxTransactions} then 'maxTransactions'
        else 'spendingLimitCents' end`,
    })
    .from(delegations)
    .where(eq(delegations.delegationId, id));
  return current?.limit ?? "revoked";
}

/** Turns what was set aside into spending, or gives it back. */
export async function settleOnDelegation(
  transaction: Orm,
  { delegationId, cents }: Spending,
  outcome: "spent" | "released",
): Promise<void> {
  await transaction
    .update(delegations)
    .set({
      reservedCents: sql`${delegations.reservedCents} - ${cents}`,
      ...(outcome === "spent"
        ? { spentCents: sql`${delegations.spentCents} + ${cents}` }
        : { transactionCount: sql`${delegations.transactionCount} - 1` }),
    })
    .where(eq(delegations.delegationId, delegationId));
}
