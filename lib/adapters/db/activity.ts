import {
  DEFAULT_PAGE_SIZE,
  MAX_PAGE_SIZE,
  type MoneyStatus,
  type RequestRecord,
} from "@turnpike/payments/protocol";
import type { Activity } from "@/lib/domain/ports.ts";
import type { Database } from "./client.ts";
import { foreignCursor } from "./paging.ts";

// A request is its hold, its settlement, or both. Money status is what happened to the credits, not to the answer.
const REQUESTS = `
  select coalesce(s.builder, h.builder) as builder, coalesce(s.agent_request_id, h.agent_request_id) as agent_request_id,
    coalesce(s.account, h.account) as account, coalesce(s.plan_id, h.plan_id) as plan_id, coalesce(s.agent_id, h.agent_id) as agent_id,
    coalesce(s.scheme, h.scheme) as scheme, coalesce(s.amount, h.amount)::text as credits,
    h.created_at as verified_at, s.created_at as settled_at, case when h.state in ('released', 'expired') then h.resolved_at end as released_at,
    s.settlement_id, coalesce(s.transaction, '') as transaction, coalesce(s.chain_status, 'none') as chain_status,
    case when s.settlement_id is not null then 'settled' when h.state = 'released' then 'not-charged' else 'unknown' end as money_status,
    coalesce(h.created_at, s.created_at) as happened_at`;
const FROM_HOLDS = `from holds h left join settlements s on s.request_key = h.request_key`;
const FROM_SETTLED = `from settlements s left join holds h on h.request_key = s.request_key`;

type Row = {
  agent_request_id: string;
  account: string;
  plan_id: string;
  agent_id: string | null;
  scheme: string;
  credits: string;
  verified_at: Date | null;
  settled_at: Date | null;
  released_at: Date | null;
  settlement_id: string | null;
  transaction: string;
  chain_status: RequestRecord["chainStatus"];
  money_status: MoneyStatus;
};

export function createActivity(database: Database): Activity {
  return {
    async find(account, agentRequestId) {
      const mine = (alias: string) =>
        `(${alias}.request_key = $2 || '/' || $1 or (${alias}.account = $2 and ${alias}.agent_request_id = $1))`;
      const [row] = await database.query<Row>(
        `(${REQUESTS} ${FROM_HOLDS} where ${mine("h")}) union all
         (${REQUESTS} ${FROM_SETTLED} where h.builder is null and ${mine("s")}) limit 1`,
        [agentRequestId, account],
      );
      return row ? fromRow(row) : null;
    },
    async list(account, role, query, planId) {
      const column = role === "builder" ? "builder" : "account";
      const limit = Math.min(
        query.limit ?? query.pageSize ?? query.offset ?? DEFAULT_PAGE_SIZE,
        MAX_PAGE_SIZE,
      );
      const page = query.cursor === undefined ? (query.page ?? 1) : readPageCursor(query.cursor);
      const offset = (page - 1) * limit;
      const mine = (alias: string) =>
        `${alias}.${column} = $1 and ($2::text is null or ${alias}.plan_id = $2)`;
      const union = `(${REQUESTS} ${FROM_HOLDS} where ${mine("h")}) union all
        (${REQUESTS} ${FROM_SETTLED} where h.builder is null and ${mine("s")})`;
      const rows = await database.query<Row>(
        `${union} order by happened_at desc, agent_request_id desc limit $3 offset $4`,
        [account, planId ?? null, limit + 1, offset],
      );
      const [total] = await database.query<{ n: string }>(
        `select (select count(*) from holds h where ${mine("h")}) + (select count(*) from settlements s where ${mine("s")} and not s.from_hold) as n`,
        [account, planId ?? null],
      );
      const nextCursor = rows.length > limit ? String(page + 1) : undefined;
      return { items: rows.slice(0, limit).map(fromRow), nextCursor, total: Number(total?.n ?? 0) };
    },
  };
}

// A request has no one time to page by, so its cursor is the number of the next page.
function readPageCursor(cursor: string): number {
  if (/^[1-9]\d{0,8}$/.test(cursor)) return Number(cursor);
  throw foreignCursor();
}

const fromRow = (row: Row): RequestRecord => ({
  agentRequestId: row.agent_request_id,
  moneyStatus: row.money_status,
  planId: row.plan_id,
  payer: row.account,
  scheme: row.scheme,
  credits: row.credits,
  transaction: row.transaction,
  chainStatus: row.chain_status,
  ...(row.agent_id && { agentId: row.agent_id }),
  ...(row.verified_at && { verifiedAt: row.verified_at.toISOString() }),
  ...(row.settled_at && { settledAt: row.settled_at.toISOString() }),
  ...(row.released_at && { releasedAt: row.released_at.toISOString() }),
  ...(row.settlement_id && { settlementId: row.settlement_id }),
});
