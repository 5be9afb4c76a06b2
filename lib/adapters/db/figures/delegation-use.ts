import { and, eq, sql } from "drizzle-orm";
import type { DelegationEffects } from "@/lib/console/delegation-effects.ts";
import type { Holdings } from "@/lib/domain/figures/holdings-ports.ts";
import type { Database } from "../client.ts";
import { isLive, readValue } from "../rows.ts";
import { tokens } from "../schema.ts";
import { selectTokens } from "../tokens.ts";

const USE = `
  select d.delegation_id as id,
    (select count(*) from tokens t where t.delegation_id = d.delegation_id and t.revoked_at is null and t.expires_at > app_now()
      and t.redeemed < t.redemption_limit) as n,
    array(select k.key_id from api_keys k where k.root_delegation_id = d.delegation_id and k.revoked_at is null
      and k.expires_at > app_now() order by 1) as roots
  from unnest($1::text[]) as d(delegation_id)`;

const LIVE = "t.delegation_id = $1 and t.revoked_at is null and t.expires_at > app_now()";
const UNDER = {
  agents: `select distinct a.agent_id as "agentId", a.metadata->>'name' as name from tokens t join agents a on a.agent_id = t.agent_id where ${LIVE} order by 2 limit 100`,
  plans: `select distinct p.plan_id as "planId", p.metadata->>'name' as name from tokens t join plans p on p.plan_id = t.plan_id where ${LIVE} order by 2 limit 100`,
  apiKeys: `select k.key_id as "keyId", k.name from api_keys k where k.root_delegation_id = $1 and k.revoked_at is null and k.expires_at > app_now() order by 2 limit 100`,
};
const HELD = `
  select coalesce(sum(coalesce(h.requests, 1)), 0) from tokens t join holds h on h.account = t.account and h.jti = t.jti
  where t.delegation_id = $1 and t.reserved > 0 and h.state = 'held'`;
const MOST_SHOWN = 100;

/** What depends on delegations. */
export function createDelegationUse({
  orm,
  query,
}: Database): Pick<Holdings, "usageOf" | "dependentsOf"> {
  return {
    async usageOf(ids) {
      if (ids.length === 0) return new Map();
      const rows = await query<{ id: string; n: number; roots: string[] }>(USE, [ids]);
      return new Map(rows.map(({ id, n, roots }) => [id, { activeTokens: n, rootOf: roots }]));
    },
    async dependentsOf(delegationId) {
      const read = <K extends keyof typeof UNDER>(of: K) =>
        query<DelegationEffects[K][number]>(UNDER[of], [delegationId]);
      const [live, agents, plans, apiKeys] = await Promise.all([
        readValue<number>(query(`select count(*) from tokens t where ${LIVE}`, [delegationId])),
        read("agents"),
        read("plans"),
        read("apiKeys"),
      ]);
      const shown = await selectTokens(orm)
        .where(and(eq(tokens.delegationId, delegationId), isLive(tokens)))
        .orderBy(sql`${tokens.issuedAt} desc`)
        .limit(MOST_SHOWN);
      const held = await readValue<number>(query(HELD, [delegationId]));
      return {
        tokens: shown,
        tokensEnding: live ?? 0,
        agents,
        plans,
        apiKeys,
        requestsUnderWay: held ?? 0,
      };
    },
  };
}
