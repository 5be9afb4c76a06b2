import { PaymentsError } from "@turnpike/payments/protocol";
import { and, desc, eq, getTableColumns, gt, isNull, or, sql } from "drizzle-orm";
import type { ApiKeys } from "@/lib/domain/ports.ts";
import type { ApiKeyRecord } from "@/lib/domain/records.ts";
import { audited, databaseNow, inTurn } from "./audit.ts";
import type { Orm } from "./client.ts";
import { findRow, findRows, isLive, matches, readFirst } from "./rows.ts";
import { accounts, apiKeys, delegations } from "./schema.ts";

export function createApiKeys(orm: Orm): ApiKeys {
  return {
    find: (hash) =>
      readFirst(
        orm
          .select({
            ...getTableColumns(apiKeys),
            isActive: sql<boolean>`${isLive(apiKeys)}`,
            isOperator: accounts.isOperator,
            isStopped: sql<boolean>`${accounts.stoppedAt} is not null`,
          })
          .from(apiKeys)
          .innerJoin(accounts, eq(accounts.address, apiKeys.account))
          .where(eq(apiKeys.hash, hash)),
      ),
    list: (account) => findRows(orm, apiKeys, { account }, desc(apiKeys.createdAt)),
    findRoot: (keyId) =>
      readFirst(
        orm
          .select(getTableColumns(delegations))
          .from(apiKeys)
          .innerJoin(delegations, eq(delegations.delegationId, apiKeys.rootDelegationId))
          .where(eq(apiKeys.keyId, keyId)),
      ),
    findOwn: (account, keyId) => findRow(orm, apiKeys, { keyId, account }),
    insert: (key, { root, replaces, check }, note) =>
      audited(orm, note, async (transaction) => {
        await inTurn(transaction, key.account);
        await check(createApiKeys(transaction));
        if (root) await transaction.insert(delegations).values(root);
        await transaction.insert(apiKeys).values(key);
        if (replaces) await replaceKey(transaction, key, replaces);
      }),
    async count(account, since) {
      const counts = or(isLive(apiKeys), gt(apiKeys.createdAt, since));
      return orm.$count(apiKeys, and(eq(apiKeys.account, account), counts));
    },
    async markUsed(hash) {
      await orm
        .update(apiKeys)
        .set({ lastUsedAt: databaseNow })
        .where(and(eq(apiKeys.hash, hash), isLive(apiKeys)));
    },
    revoke: (account, keyId, note) =>
      audited(orm, note, async (transaction) => {
        await transaction
          .update(apiKeys)
          .set({ revokedAt: databaseNow })
          .where(and(matches(apiKeys, { keyId, account }), isNull(apiKeys.revokedAt)));
      }),
  };
}

/** Lets the key that is replaced expire. Throws `conflict` when it is not active, or was replaced before. */
async function replaceKey(
  transaction: Pick<Orm, "update">,
  key: ApiKeyRecord,
  { keyId, until }: { keyId: string; until: Date },
): Promise<void> {
  const replaced = await transaction
    .update(apiKeys)
    .set({
      replacedBy: key.keyId,
      expiresAt: sql`least(${apiKeys.expiresAt}, ${sql.param(until, apiKeys.expiresAt)})`,
    })
    .where(
      and(
        matches(apiKeys, { keyId, account: key.account }),
        isNull(apiKeys.replacedBy),
        isLive(apiKeys),
      ),
    )
    .returning({ keyId: apiKeys.keyId });
  if (replaced.length > 0) return;
  throw new PaymentsError(
    "conflict",
    "This API key is no longer active, or another key already replaces it.",
  );
}
