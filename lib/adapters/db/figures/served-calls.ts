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
  /** Whether a call that named no agent is that of its report: the seller's word, not the ledger's. */
  believesReports?: boolean;
};

/** Among so many of a seller's newest calls a plan's or an agent's are looked for: no index has them apart. */
const NEWEST_OF_SELLER = 20_000;

const isOf = ({ of, id, believesReports }: Scope, alias: string) =>
  believesReports && of === "agent_id"
    ? `(${alias}.agent_id = ${id} or ${alias}.agent_id is null and exists (select 1 from request_reports r where r.request_key = ${alias}.request_key and r.agent_id = ${id}))`
    : `${alias}.${of} = ${id}`;

const isCounted = (
  { seller, includesTest = "false", includesOwn = true }: Scope,
  account: string,
) =>
  `(${includesTest} or not ${isTestPayer(account)})${includesOwn ? "" : ` and ${account} <> ${seller}`}`;

/** The newest settled calls, at most `NEWEST_CALLS`, as `request_key` and `created_at`: a table in a `from`. */
export const newestServed = (scope: Scope): string => {
  const { seller, since, before = "'infinity'" } = scope;
  return `(
    select s.request_key, s.created_at from (
      select * from settlements where builder = ${seller} and created_at >= ${since} and created_at < ${before}
      order by created_at desc limit ${NEWEST_OF_SELLER}
    ) s where ${isCounted(scope, "s.account")} and ${isOf(scope, "s")} order by s.created_at desc limit ${NEWEST_CALLS}) newest`;
};

/** Percentiles of a time in milliseconds, an expression in SQL. */
export const percentilesOf = (ms: string): string =>
  `round(percentile_cont(0.5) within group (order by ${ms})) as "p50Ms", round(percentile_cont(0.95) within group (order by ${ms})) as "p95Ms"`;

/**
 * How many accounts had a call settled. Each holder of a plan is looked up once: so it costs by customers and not by their
 * calls. The sums of busy ones say first whether there is any to look for. A number in a `select`.
 */
export function customersServed(scope: Scope): string {
  const { seller, of, id, since, before = "'infinity'" } = scope;
  return `(
    select count(*) from (
      select distinct b.account from plans p join balances b on b.plan_id = p.plan_id and b.seq > 0
      where p.owner = ${seller}${of === "plan_id" ? ` and p.plan_id = ${id}` : ""} and ${isCounted(scope, "b.account")}
    ) holder left join summed_accounts c on c.account = holder.account and c.role = 'subscriber'
    where (coalesce(c.covered_from, 'infinity') > ${since}
      or exists (select 1 from request_sums q where q.account = holder.account and q.role = 'subscriber' and q.hour >= ${since} and q.hour < ${before}
        and q.${of} = ${id} and q.status = 'settled' and q.n > 0)
      or holder.account in (select w.account from waiting_sides w where w.role = 'subscriber' and w.at >= ${since} and w.at < ${before}))
    and exists (select 1 from settlements s where s.account = holder.account and s.builder = ${seller} and ${isOf(scope, "s")}
      and s.created_at >= ${since} and s.created_at < ${before}))`;
}
