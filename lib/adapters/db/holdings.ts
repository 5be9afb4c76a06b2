import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "@turnpike/payments/protocol";
import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type {
  Holdings,
  OrderRow,
  SubscriptionRow,
  TokenRow,
} from "@/lib/domain/figures/holdings-ports.ts";
import type { Database, Orm } from "./client.ts";
import { foreignCursor, readPage } from "./paging.ts";
import { agents, delegations, orders, plans, planVersions, tokens } from "./schema.ts";

const SUBSCRIPTIONS = `
  select b.plan_id as "planId", p.metadata->>'name' as "planName", p.owner,
    case when v.is_crypto then 'svc:erc4337' else 'svc:card-delegation' end as scheme,
    p.access_limit as "accessLimit", p.is_trial as "isTrial", b.expires_at is null or b.expires_at > app_now() as "isLive",
    b.available::text as available, b.held::text as held, b.expires_at as "expiresAt",
    v.min_amount::text as "minAmount", v.max_amount::text as "maxAmount",
    o.n::text as orders, o.last as "lastOrderAt", t.granted::text as granted, t.used::text as used,
    s.n::text as "requests30d", s.used::text as "used30d", k.n::text as "activeTokens"
  from balances b
  join plans p on p.plan_id = b.plan_id
  join plan_versions v on v.plan_id = b.plan_id and v.version = b.plan_version
  cross join lateral (select count(*) as n, max(q.created_at) as last from orders q
    where q.account = b.account and q.plan_id = b.plan_id and q.status = 'minted') o
  cross join lateral (select coalesce(sum(q.amount) filter (where q.kind = 'mint'), 0) as granted,
    coalesce(sum(q.amount) filter (where q.kind in ('post', 'burn')), 0) as used
    from transfers q where q.account = b.account and q.plan_id = b.plan_id) t
  cross join lateral (select count(*) as n, coalesce(sum(q.amount), 0) as used from settlements q
    where q.account = b.account and q.plan_id = b.plan_id and q.created_at > app_now() - interval '30 days') s
  cross join lateral (select count(*) as n from tokens q
    where q.account = b.account and q.plan_id = b.plan_id and q.revoked_at is null and q.expires_at > app_now()
      and q.redeemed < q.redemption_limit) k
  where b.account = $1 and ($2::text is null or b.plan_id = $2) and ($3::text is null or b.plan_id > $3)
  order by b.plan_id limit $4 offset $5`;

const USE = `
  select d.delegation_id as id,
    (select count(*) from tokens t where t.delegation_id = d.delegation_id and t.revoked_at is null and t.expires_at > app_now()
      and t.redeemed < t.redemption_limit)::text as n,
    array(select k.key_id from api_keys k where k.root_delegation_id = d.delegation_id and k.revoked_at is null
      and k.expires_at > app_now() order by 1) as roots
  from unnest($1::text[]) as d(delegation_id)`;

const LIVE = "t.delegation_id = $1 and t.revoked_at is null and t.expires_at > app_now()";
const UNDER = {
  agents: `select distinct a.agent_id as id, a.metadata->>'name' as name from tokens t join agents a on a.agent_id = t.agent_id where ${LIVE} order by 2 limit 100`,
  plans: `select distinct p.plan_id as id, p.metadata->>'name' as name from tokens t join plans p on p.plan_id = t.plan_id where ${LIVE} order by 2 limit 100`,
  apiKeys: `select k.key_id as id, k.name from api_keys k where k.root_delegation_id = $1 and k.revoked_at is null and k.expires_at > app_now() order by 2 limit 100`,
};
const MOST_SHOWN = 100;

const tokenColumns = {
  ...getTableColumns(tokens),
  planName: sql<string>`${plans.metadata}->>'name'`,
  agentName: sql<string | null>`${agents.metadata}->>'name'`,
  delegationName: delegations.name,
};

const selectTokens = (orm: Orm) =>
  orm
    .select(tokenColumns)
    .from(tokens)
    .innerJoin(plans, eq(plans.planId, tokens.planId))
    .innerJoin(delegations, eq(delegations.delegationId, tokens.delegationId))
    .leftJoin(agents, eq(agents.agentId, tokens.agentId));

/** What accounts have, as their owners see it. */
export function createHoldings(database: Database): Holdings {
  const { orm, query } = database;
  return {
    async listSubscriptions(account, page, planId) {
      const limit = Math.min(
        page.limit ?? page.pageSize ?? page.offset ?? DEFAULT_PAGE_SIZE,
        MAX_PAGE_SIZE,
      );
      const after = page.cursor ?? null;
      if (after !== null && !/^\d{1,78}$/.test(after)) throw foreignCursor();
      const offset = after || !page.page ? 0 : (page.page - 1) * limit;
      const rows = await query<{ [K in keyof SubscriptionRow]: never }>(SUBSCRIPTIONS, [
        account,
        planId ?? null,
        after,
        limit + 1,
        offset,
      ]);
      const [total] = await query<{ n: string }>(
        "select count(*)::text as n from balances where account = $1 and ($2::text is null or plan_id = $2)",
        [account, planId ?? null],
      );
      const items = rows.slice(0, limit).map(readSubscription);
      const nextCursor = rows.length > limit ? items.at(-1)?.planId : undefined;
      return { items, nextCursor, total: Number(total?.n ?? 0) };
    },
    listOrders: (account, { planId, status, ...page }) =>
      readPage<OrderRow>({
        orm,
        from: orders,
        where: and(
          eq(orders.account, account),
          planId ? eq(orders.planId, planId) : undefined,
          status ? eq(orders.status, status) : undefined,
        ),
        createdAt: orders.createdAt,
        id: orders.orderId,
        query: page,
        read: async ({ where, orderBy, limit, offset }) => {
          const rows = await orm
            .select({
              ...getTableColumns(orders),
              planName: sql<string>`${plans.metadata}->>'name'`,
              granted: planVersions.granted,
            })
            .from(orders)
            .innerJoin(plans, eq(plans.planId, orders.planId))
            .innerJoin(
              planVersions,
              and(
                eq(planVersions.planId, orders.planId),
                eq(planVersions.version, orders.planVersion),
              ),
            )
            .where(where)
            .orderBy(...orderBy)
            .limit(limit)
            .offset(offset);
          return rows as OrderRow[];
        },
        cursorOf: ({ createdAt, orderId }) => ({ createdAt, id: orderId }),
      }),
    listTokens: (account, { planId, agentId, delegationId, ...page }) =>
      readPage<TokenRow>({
        orm,
        from: tokens,
        where: and(
          eq(tokens.account, account),
          planId ? eq(tokens.planId, planId) : undefined,
          agentId ? eq(tokens.agentId, agentId) : undefined,
          delegationId ? eq(tokens.delegationId, delegationId) : undefined,
        ),
        createdAt: tokens.issuedAt,
        id: tokens.jti,
        query: page,
        read: ({ where, orderBy, limit, offset }) =>
          selectTokens(orm)
            .where(where)
            .orderBy(...orderBy)
            .limit(limit)
            .offset(offset),
        cursorOf: ({ issuedAt, jti }) => ({ createdAt: issuedAt, id: jti }),
      }),
    async findToken(jti) {
      const [row] = await selectTokens(orm).where(eq(tokens.jti, jti));
      return row ?? null;
    },
    async usageOf(ids) {
      if (ids.length === 0) return new Map();
      const rows = await query<{ id: string; n: string; roots: string[] }>(USE, [ids]);
      return new Map(
        rows.map(({ id, n, roots }) => [id, { activeTokens: Number(n), rootOf: roots }]),
      );
    },
    async dependentsOf(delegationId) {
      const read = (text: string) => query<{ id: string; name: string }>(text, [delegationId]);
      const [[live], byAgent, byPlan, keys] = await Promise.all([
        query<{ n: string }>(`select count(*)::text as n from tokens t where ${LIVE}`, [
          delegationId,
        ]),
        read(UNDER.agents),
        read(UNDER.plans),
        read(UNDER.apiKeys),
      ]);
      const shown = await selectTokens(orm)
        .where(
          and(
            eq(tokens.delegationId, delegationId),
            sql`${tokens.revokedAt} is null and ${tokens.expiresAt} > app_now()`,
          ),
        )
        .orderBy(sql`${tokens.issuedAt} desc`)
        .limit(MOST_SHOWN);
      const [held] = await query<{ n: string }>(
        `select count(*)::text as n from tokens t join holds h on h.account = t.account and h.jti = t.jti
         where t.delegation_id = $1 and t.reserved > 0 and h.state = 'held'`,
        [delegationId],
      );
      return {
        tokens: shown,
        tokensEnding: Number(live?.n ?? 0),
        agents: byAgent.map(({ id, name }) => ({ agentId: id, name })),
        plans: byPlan.map(({ id, name }) => ({ planId: id, name })),
        apiKeys: keys.map(({ id, name }) => ({ keyId: id, name })),
        requestsUnderWay: Number(held?.n ?? 0),
      };
    },
  };
}

/** The driver's texts as amounts and counts. */
function readSubscription(row: { [K in keyof SubscriptionRow]: never }): SubscriptionRow {
  return {
    ...row,
    available: BigInt(row.available),
    held: BigInt(row.held),
    minAmount: BigInt(row.minAmount),
    maxAmount: BigInt(row.maxAmount),
    orders: Number(row.orders),
    granted: BigInt(row.granted),
    used: BigInt(row.used),
    requests30d: Number(row.requests30d),
    used30d: BigInt(row.used30d),
    activeTokens: Number(row.activeTokens),
  };
}
