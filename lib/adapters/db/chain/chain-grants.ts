import { and, count, desc, eq, inArray, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { GrantRow, GrantStore } from "@/lib/domain/chain-ports.ts";
import { databaseNow } from "../audit.ts";
import { type Orm, rowsOf } from "../client.ts";
import { findRow, findRows, matches } from "../rows.ts";
import { budgets, chainGrants, chainOrders, delegations } from "../schema.ts";

// After a minute no replica begins another burn under a grant it knew before. One that could not be revoked waits as long.
const REPLACED = (limit: number) => sql`
  select g.grant_id as "grantId", g.account from chain_grants g
  where g.revoked_at is null and g.replaced_at < app_now() - interval '1 minute' and g.valid_until > app_now()
    and not exists (select 1 from chain_orders c where c.grant_id = g.grant_id and c.state = 'open')
    and (g.kind <> 'delegation' or (
      not exists (select 1 from settlements s
        where s.account = g.account and s.delegation_id = g.delegation_id and s.chain_status in ('pending', 'submitted'))))
  order by g.replaced_at limit ${limit}`;

// A delegation has the same key, which is erased with its last grant.
const ERASE_UNUSED = (grantId: string) => sql`
  with erased as (
    update chain_grants g set session_key = ${ERASED}, revoked_at = app_now()
    where g.grant_id = ${grantId} and g.revoked_at is null and g.kind <> 'redeem'
      and not exists (select 1 from chain_orders c where c.grant_id = g.grant_id and (c.state <> 'refused' or c.gas is not null))
      and not exists (select 1 from tokens t where t.delegation_id = g.delegation_id and t.redeemed > 0)
    returning g.grant_id, g.delegation_id),
  last as (
    update delegations d set session_key = ${ERASED} from erased e where d.delegation_id = e.delegation_id
      and d.revoked_at is not null and not exists (
        select 1 from chain_grants g where g.delegation_id = e.delegation_id and g.grant_id <> e.grant_id and g.revoked_at is null))
  select grant_id from erased`;

/** In place of a sealed key. */
const ERASED = "";

export function createChainGrants(orm: Orm): GrantStore {
  const find = (grantId: string): Promise<GrantRow | null> =>
    findRow(orm, chainGrants, { grantId });

  return {
    find,
    findBySessionKey: (address) =>
      // Grants of a delegation may share a key, and one that was never used has its copy erased.
      findRow(
        orm,
        chainGrants,
        and(eq(chainGrants.sessionKeyAddress, address), ne(chainGrants.sessionKey, ERASED)),
      ),
    listOfDelegation: (delegationId) =>
      findRows(orm, chainGrants, { delegationId }, chainGrants.createdAt),
    async findRoot(account, token) {
      const mine = matches(chainGrants, { account, kind: "root", orderToken: token });
      const [[grant], [before]] = await Promise.all([
        orm
          .select()
          .from(chainGrants)
          .where(and(mine, isNull(chainGrants.revokedAt), isNull(chainGrants.replacedAt)))
          .orderBy(desc(chainGrants.createdAt), desc(chainGrants.grantId))
          .limit(1),
        orm.select({ number: count() }).from(chainGrants).where(mine),
      ]);
      const number = before?.number ?? 0;
      if (!grant) return { grant: null, committed: 0n, number };
      const committed = await sumCommitted(orm, eq(chainGrants.grantId, grant.grantId));
      return { grant, committed, number };
    },
    async insert(grant) {
      await orm.insert(chainGrants).values(grant).onConflictDoNothing();
      const stored = await find(grant.grantId);
      if (!stored) throw new Error(`Grant ${grant.grantId} could not be written.`);
      return stored;
    },
    ...createReplacements(orm),
    async markRevoked(grantId) {
      await orm
        .update(chainGrants)
        .set({ revokedAt: databaseNow })
        .where(and(eq(chainGrants.grantId, grantId), isNull(chainGrants.revokedAt)));
    },
    eraseUnused: async (grantId) => (await rowsOf(orm, ERASE_UNUSED(grantId))).length > 0,
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

/** What orders under these grants took of their limits, or may yet take. */
async function sumCommitted(orm: Orm, ofGrants: SQL | undefined): Promise<bigint> {
  const [orders] = await orm
    .select({ sum: sql<string>`coalesce(sum(${chainOrders.total}), 0)` })
    .from(chainOrders)
    .innerJoin(chainGrants, eq(chainGrants.grantId, chainOrders.grantId))
    .where(and(ofGrants, ne(chainOrders.state, "refused")));
  return BigInt(orders?.sum ?? 0);
}

/** What budgets change about grants. */
const createReplacements = (orm: Orm) =>
  ({
    committed: (delegationId, token) =>
      sumCommitted(orm, matches(chainGrants, { delegationId, orderToken: token })),
    budgetsOf: (account, delegationId) =>
      orm
        .select({ scope: budgets.scope, document: budgets.document })
        .from(budgets)
        .where(
          and(eq(budgets.account, account), inArray(budgets.scope, [account, delegationId ?? ""])),
        )
        .orderBy(budgets.scope),
    async markReplaced(grantId) {
      await orm
        .update(chainGrants)
        .set({ replacedAt: databaseNow })
        .where(eq(chainGrants.grantId, grantId));
    },
    listReplaced: (limit) => rowsOf(orm, REPLACED(limit)),
  }) satisfies Partial<GrantStore>;
