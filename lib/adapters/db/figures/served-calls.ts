import { NEWEST_CALLS } from "@/lib/console/market-facts.ts";
import { isTestPayer } from "./test-payers.ts";

/** Which settled calls: all parts are SQL, so that a statement can ask for many plans or agents at once. */
type Scope = {
  seller: string;
  of: "plan_id" | "agent_id";
  id: string;
  since: string;
  before?: string;
  includesTest?: string;
  /** Whether the seller's own calls count. */
  includesOwn?: boolean;
};

const conditionsOf = (
  { seller, since, before = "'infinity'", includesTest = "false", includesOwn = true }: Scope,
  alias: string,
) => `${alias}.builder = ${seller} and ${alias}.created_at >= ${since} and ${alias}.created_at < ${before}
      and (${includesTest} or not ${isTestPayer(`${alias}.account`)})${includesOwn ? "" : ` and ${alias}.account <> ${seller}`}`;

/** The newest settled calls, because sorting a month of a busy seller's takes seconds: `NEWEST_CALLS`, as `request_key` and `created_at`: a table in a `from`. */
export const newestServed = (scope: Scope): string => `(
    select s.request_key, s.created_at from settlements s
    where ${conditionsOf(scope, "s")} and s.${scope.of} = ${scope.id}
    order by s.created_at desc limit ${NEWEST_CALLS}) newest`;

/** Percentiles of a time in milliseconds, an expression in SQL. */
export const percentilesOf = (ms: string): string =>
  `round(percentile_cont(0.5) within group (order by ${ms})) as "p50Ms", round(percentile_cont(0.95) within group (order by ${ms})) as "p95Ms"`;

/**
 * How many accounts had a call settled. Each holder of a plan is looked up once, in the sums of those who have some: so it
 * costs by customers and not by their calls. A number in a `select`.
 */
export function customersServed(scope: Scope): string {
  const { seller, of, id, since, before = "'infinity'" } = scope;
  const { includesTest = "false", includesOwn = true } = scope;
  return `(
    select count(*) from (
      select distinct b.account from plans p join balances b on b.plan_id = p.plan_id and b.seq > 0
      where p.owner = ${seller}${of === "plan_id" ? ` and p.plan_id = ${id}` : ""}
        and (${includesTest} or not ${isTestPayer("b.account")})${includesOwn ? "" : ` and b.account <> ${seller}`}
    ) holder left join summed_accounts c on c.account = holder.account and c.role = 'subscriber'
    where case when c.covered_from <= ${since} then
      exists (select 1 from request_sums q where q.account = holder.account and q.role = 'subscriber' and q.hour >= ${since} and q.hour < ${before}
        and q.${of} = ${id} and q.status = 'settled' and q.n > 0 and not q.is_agent_reported)
      or holder.account in (select w.account from waiting_settlements w where w.${of} = ${id} and w.created_at >= ${since} and w.created_at < ${before})
    else exists (select 1 from settlements s where s.account = holder.account and s.builder = ${seller} and s.${of} = ${id}
      and s.created_at >= ${since} and s.created_at < ${before}) end)`;
}
