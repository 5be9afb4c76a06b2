import type { HeldRequest, Unsettled } from "@/lib/domain/permissions/unsettled-ports.ts";
import type { Database } from "./client.ts";

const HELD = "select * from held_requests($1)";

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
