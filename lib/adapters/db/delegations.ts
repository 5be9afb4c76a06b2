import { and, eq, isNull } from "drizzle-orm";
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
  };
}
