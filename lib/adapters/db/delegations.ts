import { and, eq, isNull, sql } from "drizzle-orm";
import type { Delegations } from "@/lib/domain/ports.ts";
import type { DelegationRecord } from "@/lib/domain/records.ts";
import { audited, databaseNow } from "./audit.ts";
import type { Orm } from "./client.ts";
import { readPage } from "./paging.ts";
import { delegations, tokens } from "./schema.ts";

export function createDelegations(orm: Orm): Delegations {
  return {
    async find(delegationId) {
      const [row] = await orm
        .select()
        .from(delegations)
        .where(eq(delegations.delegationId, delegationId));
      return row ?? null;
    },
    list: (account, query) =>
      readPage<DelegationRecord>({
        orm,
        from: delegations,
        where: eq(delegations.account, account),
        createdAt: delegations.createdAt,
        id: delegations.delegationId,
        query,
        read: (page) =>
          orm
            .select()
            .from(delegations)
            .where(page.where)
            .orderBy(...page.orderBy)
            .limit(page.limit)
            .offset(page.offset),
        cursorOf: ({ createdAt, delegationId }) => ({ createdAt, id: delegationId }),
      }),
    insert: (delegation, note) =>
      audited(orm, note, async (transaction) => {
        await transaction.insert(delegations).values(delegation);
      }),
    revoke: (delegationId, note) =>
      audited(orm, note, async (transaction) => {
        // Tokens before their delegation: the lock order of the whole ledger.
        const ended = await transaction
          .update(tokens)
          .set({ revokedAt: databaseNow })
          .where(and(eq(tokens.delegationId, delegationId), isNull(tokens.revokedAt)))
          .returning({ jti: tokens.jti });
        await transaction
          .update(delegations)
          .set({ revokedAt: databaseNow })
          .where(and(eq(delegations.delegationId, delegationId), isNull(delegations.revokedAt)));
        return ended.length;
      }),
    revokeAll: (account, note) =>
      audited(orm, note, async (transaction) => {
        // Tokens before delegations, each in the order of its key, as everywhere in the ledger.
        const ended = await transaction.execute(sql`
          update tokens t set revoked_at = app_now() from (
            select jti from tokens where account = ${account} and revoked_at is null order by jti for no key update
          ) mine where t.jti = mine.jti returning t.jti`);
        const over = await transaction.execute(sql`
          update delegations d set revoked_at = app_now() from (
            select delegation_id from delegations where account = ${account} and revoked_at is null
            order by delegation_id for no key update
          ) mine where d.delegation_id = mine.delegation_id returning d.delegation_id`);
        return { tokens: countOf(ended), delegations: countOf(over) };
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

const countOf = (result: unknown): number => (result as { rows: unknown[] }).rows.length;
