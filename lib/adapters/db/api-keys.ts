import { and, count, desc, eq, gt, isNull, or } from "drizzle-orm";
import type { ApiKeys } from "@/lib/domain/ports.ts";
import { audited, databaseNow } from "./audit.ts";
import type { Orm } from "./client.ts";
import { accounts, apiKeys, delegations } from "./schema.ts";

export function createApiKeys(orm: Orm): ApiKeys {
  return {
    async find(hash) {
      const [row] = await orm
        .select({ key: apiKeys, isOperator: accounts.isOperator })
        .from(apiKeys)
        .innerJoin(accounts, eq(accounts.address, apiKeys.account))
        .where(eq(apiKeys.hash, hash));
      return row ? { ...row.key, isOperator: row.isOperator } : null;
    },
    list: (account) =>
      orm
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.account, account))
        .orderBy(desc(apiKeys.createdAt)),
    async findRoot(keyId) {
      const [row] = await orm
        .select({ delegation: delegations })
        .from(apiKeys)
        .innerJoin(delegations, eq(delegations.delegationId, apiKeys.rootDelegationId))
        .where(eq(apiKeys.keyId, keyId));
      return row?.delegation ?? null;
    },
    insert: (key, root, note) =>
      audited(orm, note, async (transaction) => {
        if (root) await transaction.insert(delegations).values(root);
        await transaction.insert(apiKeys).values(key);
      }),
    async count(account, since) {
      const isActive = and(isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, databaseNow));
      const [row] = await orm
        .select({ count: count() })
        .from(apiKeys)
        .where(and(eq(apiKeys.account, account), or(isActive, gt(apiKeys.createdAt, since))));
      return row?.count ?? 0;
    },
    async markUsed(hash) {
      await orm.update(apiKeys).set({ lastUsedAt: databaseNow }).where(eq(apiKeys.hash, hash));
    },
    async revoke(account, keyId, note) {
      const mine = and(eq(apiKeys.keyId, keyId), eq(apiKeys.account, account));
      // Keys are never removed; one that is not there is nothing to write a note about.
      const found = await orm.select({ keyId: apiKeys.keyId }).from(apiKeys).where(mine);
      if (found.length === 0) return false;
      await audited(orm, note, async (transaction) => {
        await transaction
          .update(apiKeys)
          .set({ revokedAt: databaseNow })
          .where(and(mine, isNull(apiKeys.revokedAt)));
      });
      return true;
    },
  };
}
