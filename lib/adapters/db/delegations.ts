import { toJson } from "@turnpike/payments/protocol";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Delegations } from "@/lib/domain/ports.ts";
import type { DelegationRecord } from "@/lib/domain/records.ts";
import { audited, databaseNow } from "./audit.ts";
import type { Orm } from "./client.ts";
import { readPage } from "./paging.ts";
import { revokeUnder } from "./revoke-under.ts";
import { findRow, isLive, matches } from "./rows.ts";
import { accounts, delegations, tokens } from "./schema.ts";

export function createDelegations(orm: Orm): Delegations {
  return {
    find: (delegationId) => findRow(orm, delegations, { delegationId }),
    list: (account, query) =>
      readPage({
        orm,
        from: delegations,
        where: and(
          matches(delegations, { account }, { name: query.name }),
          query.state && isLive(delegations),
        ),
        id: "delegationId",
        query,
      }),
    insert: (delegation, note, budgets) =>
      audited(orm, note, async (transaction) => {
        await insertDelegation(transaction, delegation);
        const { delegationId, account } = delegation;
        const written = budgets && toJson(budgets);
        if (written)
          await transaction.execute(
            sql`select set_budgets(${delegationId}, ${account}, ${written}::jsonb)`,
          );
      }),
    revoke: (delegationId, note) =>
      audited(orm, note, async (transaction) => {
        const ended = await revokeUnder(transaction, {
          tokens: eq(tokens.delegationId, delegationId),
          delegations: eq(delegations.delegationId, delegationId),
        });
        return ended.tokens.length;
      }),
    revokeAll: (account, note) =>
      audited(orm, note, async (transaction) => {
        const ended = await revokeUnder(transaction, {
          tokens: eq(tokens.account, account),
          delegations: eq(delegations.account, account),
        });
        return { tokens: ended.tokens.length, delegations: ended.delegations.length };
      }),
    activate: (delegationId, note) =>
      audited(orm, note, async (transaction) => {
        const begun = await transaction
          .update(delegations)
          .set({ signBefore: null })
          .where(
            and(
              eq(delegations.delegationId, delegationId),
              isNull(delegations.revokedAt),
              sql`${delegations.signBefore} > app_now()`,
            ),
          )
          .returning({ delegationId: delegations.delegationId });
        return begun.length > 0;
      }),
  };
}

/**
 * Inserts a delegation. An account's are written one after another, each at a later time, so that racing processes
 * agree on the oldest: one that sees no other knows that every other is younger.
 */
export async function insertDelegation(
  transaction: Orm,
  delegation: DelegationRecord,
): Promise<void> {
  const { account } = delegation;
  await transaction
    .select({ address: accounts.address })
    .from(accounts)
    .where(eq(accounts.address, account))
    .for("no key update");
  const createdAt = sql<Date>`greatest(${databaseNow}, (select max(created_at) + interval '1 millisecond'
    from delegations where account = ${account}))`;
  await transaction.insert(delegations).values({ ...delegation, createdAt });
}
