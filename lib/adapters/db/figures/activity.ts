import {
  InvalidReason,
  type RequestRecord,
  toJson,
  withoutNulls,
} from "@turnpike/payments/protocol";
import type { Activity, RequestFilter } from "@/lib/domain/figures/activity-ports.ts";
import { causeFor } from "@/lib/domain/figures/refusals.ts";
import { moneyOf } from "@/lib/domain/orders/money.ts";
import { reasonOf } from "@/lib/domain/permissions/causes.ts";
import type { Database } from "../client.ts";
import { extentOf, pageOf, readPlace, writePlace } from "../paging.ts";
import { readValue } from "../rows.ts";
import { IS_KEPT, isCharged, MERGED } from "./charged-reports.ts";
import type { RequestRow } from "./request-row.ts";
import { countStatement, FIND_REQUEST, listStatement, type Statement } from "./request-rows.ts";
import { leastStatement } from "./request-sums.ts";

/** Lists count up to this many: no one pages further, and counting more costs more than reading. */
const MOST_COUNTED = 10_000;
const KEPT = "interval '30 days'";

/** Whether a delivered request was refused by settle, and not by a verify before the one that reserved for it. */
const IS_REFUSED_SETTLE = `excluded.money_status = 'delivered-unsettled' and (request_reports.money_status = 'delivered-unsettled'
  or exists (select from holds h where h.request_key = request_reports.request_key and h.created_at <= request_reports.at))`;

// A gate's clock is the machine's; the ledger's may run ahead in the sandbox, and nothing was seen in the future.
// Times are rounded before they become the column's type, which refuses numbers too small for it.
const REPORT = `
  with given as (
    select $1 || '/' || q."agentRequestId" as request_key, $1 as builder, q."agentRequestId", least(q.at + (app_now() - clock_timestamp()), app_now()) as at,
      q.method, q.path, p.plan_id, a.agent_id, q."httpStatus",
      case when q."moneyStatus" = 'settled' then 'unknown' else q."moneyStatus" end as money_status,
      q.reason, round(q."verifyMs", 2), round(q."workMs", 2), round(q."settleMs", 2)
    from jsonb_to_recordset($2::jsonb) as q("agentRequestId" text, at timestamptz, method text, path text, "planId" text, "agentId" text,
      "httpStatus" smallint, "moneyStatus" text, reason text, "verifyMs" numeric, "workMs" numeric, "settleMs" numeric)
    left join plans p on p.plan_id = q."planId" and p.owner = $1
    left join agents a on a.agent_id = q."agentId" and a.owner = $1
    where (p.plan_id is not null or a.agent_id is not null) and q.at > clock_timestamp() - ${KEPT}
  ), written as (
    insert into request_reports (request_key, builder, agent_request_id, at, method, path, plan_id, agent_id, http_status,
      money_status, reason, verify_ms, work_ms, settle_ms)
    select * from given order by request_key
    on conflict (request_key) do update set
      method = excluded.method, path = excluded.path, http_status = excluded.http_status, money_status = excluded.money_status,
      plan_id = coalesce(excluded.plan_id, request_reports.plan_id), agent_id = coalesce(excluded.agent_id, request_reports.agent_id),
      cause = case when excluded.reason = any($3) or ${IS_REFUSED_SETTLE} then request_reports.cause end, ${MERGED}
    where ${IS_KEPT}
    returning request_key, money_status, payer
  ), late as (
    update alert_accounts a set late = array(select unnest(a.late) union select * from unnest(q.late)) from (
      select array_agg(distinct quarter_of(g.at)) as late from given g join alert_accounts j on j.account = $1
      where g.at <= j.slow_at - interval '15 minutes' and g.money_status in ('refused', 'not-charged', 'delivered-unsettled')) q
    where a.account = $1 and not q.late <@ coalesce(a.late, '{}')
  ) select (select count(*)::int from given) as accepted, set_config('turnpike.silent_reports', $4, true),
    (select count(*)::int from written w where w.money_status = 'refused'
      and coalesce(w.payer, (select h.account from holds h where h.request_key = w.request_key)) is not null) as declined`;

// The gate's report of the same request may be there before, or come later: each writes what only it knows.
const REFUSED = `
  insert into request_reports (request_key, builder, agent_request_id, at, method, path, plan_id, agent_id, http_status,
    money_status, reason, payer, jti, delegation_id, cause)
  select q.builder || '/' || q."agentRequestId", q.builder, q."agentRequestId", q.at, q.method, q.path, q."planId", q."agentId", 402,
    'refused', q.reason, q.payer, q."tokenId", q."delegationId", q.cause
  from jsonb_to_recordset($1::jsonb) as q(builder text, "agentRequestId" text, at timestamptz, method text, path text, "planId" text,
    "agentId" text, reason text, payer text, "tokenId" text, "delegationId" text, cause text)
  order by 1
  on conflict (request_key) do update set
    payer = excluded.payer, jti = excluded.jti, delegation_id = excluded.delegation_id, cause = excluded.cause,
    plan_id = excluded.plan_id, agent_id = coalesce(excluded.agent_id, request_reports.agent_id)
  where not ${isCharged("request_reports")} or request_reports.money_status = 'delivered-unsettled'`;

const NEWEST = `
  select account, coalesce(greatest((select max(at) from request_reports where builder = account),
    (select max(at) from request_reports where payer = account))::text, '') as at
  from unnest($1::text[]) as account`;

export function createActivity(database: Database): Activity {
  const count = async (...statement: Statement) =>
    (await readValue<number>(database.query(...statement))) ?? 0;
  /** Single requests are counted only where sums do not already say that there are too many. */
  async function countUpTo(account: string, filter: RequestFilter): Promise<number> {
    const least = leastStatement(account, filter);
    if (least && (await count(...least)) >= MOST_COUNTED) return MOST_COUNTED;
    return count(...countStatement(account, filter, MOST_COUNTED));
  }
  return {
    async find(account, agentRequestId, asBuilder = false) {
      const wanted = [agentRequestId, account, asBuilder];
      const [row] = await database.query<RequestRow>(FIND_REQUEST, wanted);
      return row ? fromRow(row, account) : null;
    },
    async list(account, filter, query) {
      const { limit, offset } = extentOf(query);
      const after = query.cursor === undefined ? undefined : readPlace(query.cursor, PLACE);
      const page = listStatement(account, filter, { after, limit: limit + 1, offset });
      const rows = await database.query<RequestRow>(...page);
      const total = await countUpTo(account, filter);
      const cursorOf = ({ micros, request_key }: RequestRow) => writePlace(micros, request_key);
      const { items, ...rest } = pageOf(rows, { limit, total, cursorOf });
      return { items: items.map((row) => fromRow(row, account)), ...rest };
    },
    async report(account, sightings, silent = []) {
      const values = [account, toJson(sightings), InvalidReason.options, silent.join()];
      const [row] = await database.query<{ accepted: number; declined: number }>(REPORT, values);
      return { accepted: row?.accepted ?? 0, declined: row?.declined ?? 0 };
    },
    async recordRefusals(attempts) {
      const rows = attempts.map((attempt) => ({ ...attempt, reason: reasonOf(attempt.cause) }));
      await database.query(REFUSED, [toJson(rows)]);
    },
    async newestReports(accounts) {
      const rows = await database.query<{ account: string; at: string }>(NEWEST, [accounts]);
      return new Map(rows.map(({ account, at }) => [account, at]));
    },
  };
}

/** A request's time in microseconds, and its key. */
const PLACE = /^(\d{1,17}) (0x[0-9A-Fa-f]{40}\/[\w-]{1,128})$/;

/** One request as one of its sides may see it: both, for those who pay themselves. */
function fromRow(row: RequestRow, account: string): RequestRecord {
  const { request_key: _, micros: __, builder, cause, payerCause, paid, ...known } = row;
  const isBuilder = builder === account;
  const shown = {
    ...known,
    paid: paid === null ? null : moneyOf("usdc", BigInt(paid)),
    reason: isBuilder ? row.reason : null,
    delegationId: row.payer === account ? row.delegationId : null,
    at: row.at.toISOString(),
    verifiedAt: row.verifiedAt?.toISOString() ?? null,
    settledAt: row.settledAt?.toISOString() ?? null,
    releasedAt: row.releasedAt?.toISOString() ?? null,
    ...causeFor(isBuilder ? cause : payerCause, row),
  };
  return withoutNulls(shown) as RequestRecord;
}
