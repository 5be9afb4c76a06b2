import type { HeldRequest, Unsettled } from "@/lib/domain/permissions/unsettled-ports.ts";
import type { Database } from "./client.ts";

const HELD = `
  select h.builder, h.agent_request_id as "agentRequestId", h.account, h.plan_id as "planId", p.owner as "planOwner",
    h.agent_id as "agentId", h.jti, t.delegation_id as "delegationId", h.amount, h.requests, h.scheme, h.state,
    t.revoked_at is null and d.revoked_at is null and least(t.expires_at, d.expires_at) > app_now() as "isAlive",
    least(t.expires_at, d.expires_at) as "settleBefore",
    case when b.expires_at is null or b.expires_at > app_now() then b.available else 0 end as available,
    (t.redemption_limit - t.redeemed - t.reserved)::numeric as "redemptionsLeft", v.min_amount as "minAmount", v.is_fixed as "isFixed", p.access_limit as "accessLimit",
    exists (select 1 from jsonb_array_elements_text(s.price->'amounts') part where part::numeric > 0) as "isPaid"
  from holds h join tokens t on t.jti = h.jti join delegations d on d.delegation_id = t.delegation_id
    join plans p on p.plan_id = h.plan_id
    join balances b on b.account = h.account and b.plan_id = h.plan_id
    join plan_versions v on v.plan_id = b.plan_id and v.version = coalesce(h.plan_version, b.plan_version)
    join plan_versions s on s.plan_id = p.plan_id and s.version = p.version
  where h.request_key = any($1)`;

// Writing off is a report of the builder's. Where there is no report yet, the hold has what it needs.
const WRITE_OFF = `
  insert into request_reports (request_key, builder, agent_request_id, at, method, path, plan_id, agent_id, http_status, money_status, reason)
  select h.request_key, h.builder, h.agent_request_id, h.created_at, '', '', h.plan_id, h.agent_id, 200, 'not-charged', $2
  from holds h where h.request_key = $1
  union all
  select r.request_key, r.builder, r.agent_request_id, r.at, r.method, r.path, r.plan_id, r.agent_id, r.http_status, 'not-charged', $2
  from request_reports r where r.request_key = $1 and not exists (select 1 from holds h where h.request_key = $1)
  on conflict (request_key) do update set money_status = 'not-charged', reason = excluded.reason
  returning 1`;

/** Held requests that are not settled, with what is left of their permissions. */
export function createUnsettled({ query }: Database): Unsettled {
  const listHeld = async (builder: string, ids: string[]): Promise<HeldRequest[]> =>
    ids.length === 0 ? [] : query(HELD, [ids.map((id) => `${builder}/${id}`)]);
  return {
    listHeld,
    findHeld: async (builder, id) => (await listHeld(builder, [id]))[0] ?? null,
    writeOff: async (builder, id, note) =>
      (await query(WRITE_OFF, [`${builder}/${id}`, note])).length > 0,
  };
}
