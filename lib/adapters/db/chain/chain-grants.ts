import { and, count, desc, eq, isNull, sql } from "drizzle-orm";
import type { GrantRow, GrantStore } from "@/lib/domain/chain-ports.ts";
import { databaseNow } from "../audit.ts";
import type { Orm } from "../client.ts";
import { chainGrants, chainOrders, delegations } from "../schema.ts";

export function createChainGrants(orm: Orm): GrantStore {
  const find = async (grantId: string): Promise<GrantRow | null> => {
    const [row] = await orm.select().from(chainGrants).where(eq(chainGrants.grantId, grantId));
    return row ?? null;
  };

  return {
    find,
    async findBySessionKey(address) {
      const [row] = await orm
        .select()
        .from(chainGrants)
        .where(eq(chainGrants.sessionKeyAddress, address))
        .limit(1);
      return row ?? null;
    },
    listOfDelegation: (delegationId) =>
      orm
        .select()
        .from(chainGrants)
        .where(eq(chainGrants.delegationId, delegationId))
        .orderBy(chainGrants.createdAt),
    async findRoot(account, token) {
      const mine = and(
        eq(chainGrants.account, account),
        eq(chainGrants.kind, "root"),
        eq(chainGrants.orderToken, token),
      );
      const [grant] = await orm
        .select()
        .from(chainGrants)
        .where(and(mine, isNull(chainGrants.revokedAt)))
        .orderBy(desc(chainGrants.createdAt), desc(chainGrants.grantId))
        .limit(1);
      if (!grant) return null;
      const [[before], [orders]] = await Promise.all([
        orm.select({ number: count() }).from(chainGrants).where(mine),
        orm
          .select({ committed: sql<string>`coalesce(sum(${chainOrders.total}), 0)` })
          .from(chainOrders)
          .where(
            and(eq(chainOrders.grantId, grant.grantId), sql`${chainOrders.state} <> 'refused'`),
          ),
      ]);
      return {
        grant,
        committed: BigInt(orders?.committed ?? 0),
        number: before?.number ?? 1,
      };
    },
    async insert(grant) {
      await orm.insert(chainGrants).values(grant).onConflictDoNothing();
      const stored = await find(grant.grantId);
      if (!stored) throw new Error(`Grant ${grant.grantId} could not be written.`);
      return stored;
    },
    async markRevoked(grantId) {
      await orm
        .update(chainGrants)
        .set({ revokedAt: databaseNow })
        .where(and(eq(chainGrants.grantId, grantId), isNull(chainGrants.revokedAt)));
    },
    eraseKeys: (delegationId) =>
      orm.transaction(async (transaction) => {
        await transaction
          .update(chainGrants)
          .set({ sessionKey: ERASED, revokedAt: databaseNow })
          .where(eq(chainGrants.delegationId, delegationId));
        await transaction
          .update(delegations)
          .set({ sessionKey: ERASED })
          .where(eq(delegations.delegationId, delegationId));
      }),
  };
}

/** In place of a sealed key. */
const ERASED = "";
