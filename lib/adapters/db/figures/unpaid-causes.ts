import type { MoneyStatus } from "@turnpike/payments/protocol";
import type { FigureScope } from "@/lib/domain/figures/activity-ports.ts";
import { unpaidCause } from "./request-columns.ts";
import { type Bind, type Statement, statement, unionOf } from "./request-rows.ts";

export const UNPAID: readonly MoneyStatus[] = [
  "refused",
  "not-charged",
  "delivered-unsettled",
  "unknown",
];

/** Tables in SQL. Each request is counted once; at least the newest of each cause, payer, route, plan and agent is seen. */
type Unpaid = {
  /** `at` (of sums their hour), `status`, `cause` and `n`. */
  counts: string;
  /** `at`, `status`, `cause`, `account`, `route`, `agent_request_id`, `plan_id` and `agent_id`. */
  seen: string;
};

type UnpaidScope = Omit<FigureScope, "includeTest"> & { includeTest?: boolean };

/** A statement over an account's unpaid requests: sums where they cover the range, and single requests before. */
export function unpaidStatement(
  account: string,
  scope: UnpaidScope,
  write: (unpaid: Unpaid, bind: Bind) => string,
): Statement {
  return statement((bind) => {
    const { role, planId, agentId, includeTest } = scope;
    const side = `${bind(account)}, ${bind(role)}`;
    const since = `(select unpaid_since(${side}, ${bind(scope.since.toISOString())}::timestamptz))`;
    const where = ["true"];
    if (planId !== undefined) where.push(`plan_id = ${bind(planId)}`);
    if (agentId !== undefined) where.push(`agent_id = ${bind(agentId)}`);
    if (role === "builder" && !includeTest) where.push("not is_test");
    const cause = `${unpaidCause(role, "status")} as cause`;
    const rows = (read: string, more: string) =>
      `(select at, status, nullif(cause, '') as cause, reason, ${more} from ${read}(${side}, ${since}) where ${where.join(" and ")}) r`;
    const single = unionOf({ ...scope, account, moneyStatus: UNPAID }, bind, since);
    const counts = `(select at, status, ${cause}, n from ${rows("unpaid_sums_of", "n")}
    union all select at, status, cause, 1 from single) counts`;
    const seen = `(select at, status, ${cause}, account, route, agent_request_id, plan_id, agent_id
    from ${rows(
      "unpaid_sources",
      `nullif(payer, '') as account, nullif(route, '') as route, substr(request_key, strpos(request_key, '/') + 1) as agent_request_id,
      nullif(plan_id, '') as plan_id, nullif(agent_id, '') as agent_id`,
    )}
    union all select at, status, cause, account, route, agent_request_id, plan_id, agent_id from single) seen`;
    return `with single as materialized (${single}) ${write({ counts, seen }, bind)}`;
  });
}

/** What kept calls from being paid, since an instant and between `before` and it. */
export const causesStatement = (
  account: string,
  { since, ...scope }: FigureScope,
  before: Date,
): Statement =>
  unpaidStatement(account, { ...scope, since: before }, ({ counts, seen }, bind) => {
    const start = `${bind(since.toISOString())}::timestamptz`;
    const newest = (column: string) => `(array_agg(${column} order by at desc))[1]`;
    return `, counted as (
        select cause, status, sum(n) filter (where at >= ${start})::bigint as calls,
          coalesce(sum(n) filter (where at < ${start}), 0)::bigint as previous
        from ${counts} where cause <> 'written_off' group by 1, 2 having sum(n) filter (where at >= ${start}) > 0
      ), newest as (
        select cause, status, count(distinct account)::int as payers, count(distinct route)::int as routes,
          coalesce(${newest("route")}, '') as route, max(at) as "lastAt", ${newest("agent_request_id")} as "agentRequestId",
          ${newest("agent_id")} as "agentId", ${newest("plan_id")} as "planId"
        from ${seen} where at >= ${start} group by 1, 2
      )
      select cause, status as "moneyStatus", calls, previous, payers, routes, route, "lastAt", "agentRequestId", "agentId", "planId"
      from counted join newest using (cause, status) order by calls desc, "lastAt" desc limit 100`;
  });
