import type { Role } from "@turnpike/payments/protocol";
import type { RequestFilter } from "@/lib/domain/figures/activity-ports.ts";
import { type Bind, type Statement, statement, unionOf } from "./request-rows.ts";
import { isTestPayer } from "./test-payers.ts";

/** What sums are kept by: requests of one payer, token, cause or text are read one by one, by `statementOf`. */
type SumFilter = Pick<
  RequestFilter,
  "role" | "planId" | "agentId" | "moneyStatus" | "includeTest" | "hasEnded"
>;

/** The sums of an account, with what waits for them, from `from` on. */
function sumsOf(account: string, filter: SumFilter, { bind, from }: { bind: Bind; from: string }) {
  const side = `${bind(account)}, ${bind(filter.role)}`;
  const since = `(select sums_since(${side}, ${from}))`;
  const where = ["true"];
  if (filter.planId !== undefined) where.push(`plan_id = ${bind(filter.planId)}`);
  if (filter.agentId !== undefined) where.push(`agent_id = ${bind(filter.agentId)}`);
  if (filter.moneyStatus) where.push(`status = any(${bind(filter.moneyStatus)})`);
  if (filter.role === "builder" && !filter.includeTest) where.push("not is_test");
  const rows = `select at, status, n, delivered, credits from request_sums_of(${side}, ${since}) where ${where.join(" and ")}`;
  return { rows, since };
}

/**
 * A statement over every request that passes the filter, as `at` (of sums their hour), `status`, `credits`, `n` and
 * `delivered`: sums of whole hours with what waits for them, and single requests before the first hour that they cover.
 */
export function sumsStatement(
  account: string,
  filter: SumFilter & { since: Date },
  write: (requests: string, bind: Bind) => string,
): Statement {
  return statement((bind) => {
    const from = `${bind(filter.since.toISOString())}::timestamptz`;
    const { rows, since } = sumsOf(account, filter, { bind, from });
    const requests = `(
    ${rows}
    union all
    select at, status, 1, case when status in ('settled', 'delivered-unsettled')
      or (status = 'unknown' and http_status between 200 and 299) then 1 else 0 end, credits
    from (${unionOf({ ...filter, account }, bind, since)}) one) requests`;
    return write(requests, bind);
  });
}

/** At least so many requests pass the filter, by sums alone; null where sums cannot say. */
export function leastStatement(account: string, filter: RequestFilter): Statement | null {
  const { payer, tokenId, cause, search, httpStatus, until, since } = filter;
  if ([payer, tokenId, cause, search, httpStatus, until].some((one) => one !== undefined)) {
    return null;
  }
  return statement((bind) => {
    // Reports of closed hours may be gone from lists.
    const from = `greatest(${bind(since?.toISOString() ?? "-infinity")}::timestamptz, sums_closed_before())`;
    return `select coalesce(sum(n), 0)::bigint as n from (${sumsOf(account, filter, { bind, from }).rows}) sums`;
  });
}

type Settled = {
  /** SQL of whose calls; `$1` by default, as `since` is `$2` and `includesTest` `$3`. */
  account?: string;
  since?: string;
  includesTest?: string;
};

/** What the ledger settled for an account since a time: `at`, plan, agent, `requests` and `credits`. */
export const settledSince = (
  role: Role,
  { account = "$1", since = "$2::timestamptz", includesTest = "$3::boolean" }: Settled = {},
): string => `(
    select at, plan_id, case when is_agent_reported then null else agent_id end as agent_id, n as requests, credits
    from (select sums_since(${account}, '${role}', ${since}) as since) s, lateral request_sums_of(${account}, '${role}', s.since)
    where s.since < 'infinity' and status = 'settled' and (${includesTest} or not is_test)
    union all
    select s.created_at, s.plan_id, s.agent_id, 1, s.amount from settlements s
    where s.${role === "builder" ? "builder" : "account"} = ${account} and s.created_at >= ${since}
      and s.created_at < (select sums_since(${account}, '${role}', ${since})) and (${includesTest} or not ${role === "builder" ? isTestPayer("s.account") : "false"})) settled`;
