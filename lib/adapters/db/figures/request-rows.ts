import type { MoneyStatus } from "@turnpike/payments/protocol";
import type { RequestFilter } from "@/lib/domain/figures/activity-ports.ts";
import {
  type Branch,
  causeOf,
  HELD_ROW,
  IS_UNDER_WAY,
  REPORTED_ROW,
  SENT_ROW,
  SETTLED_ROW,
  STATUS,
  seenOf,
} from "./request-columns.ts";
import { isTestPayer, isTestReport } from "./test-payers.ts";

const BRANCHES = ["settled", "held", "reported", "sent"] as const;

// A refusal was an earlier try under the id of a request that was reserved or settled later: it is not how that one ended.
const WITH_REPORT = (alias: string) =>
  `left join request_reports r on r.request_key = ${alias}.request_key and not (r.money_status = 'refused' and r.cause is not null)`;
// A lease is no request: those it pays for are.
const HELD = `from (select * from holds where requests is null and state <> 'posted') h ${WITH_REPORT("h")}`;
const SETTLED = `from settlements s ${WITH_REPORT("s")}`;
const VERIFIED = `${SETTLED} left join holds h on h.request_key = s.request_key and h.requests is null`;
const REPORTED = "from request_reports r";
// No gate reports it: the join has the columns alone.
const SENT = `from (select account || '/' || payment_id as request_key, payment_id as agent_request_id, recipient as builder, account,
    null::text as plan_id, null::text as jti, kind, state, amount, tx_hash, failure_code, delegation_id, created_at, closed_at,
    split_part(authorization_of.resource, '?', 1) as path
  from account_payments cross join lateral (select "authorization"->>'resource' as resource) authorization_of
  where kind = 'exact') p left join request_reports r on false`;
const FROM = { held: HELD, settled: SETTLED, reported: REPORTED, sent: SENT } as const;

const HAS_NO = (table: "holds" | "settlements", alias: string) =>
  `not exists (select 1 from ${table} x where x.request_key = ${alias}.request_key)`;
const IS_UNKNOWN_TO_LEDGER = `${HAS_NO("holds", "r")} and ${HAS_NO("settlements", "r")}`;
/** The same, asked for one row at a time: a page needs few rows, and a join would read the whole table for them. */
const lacks = (table: "holds" | "settlements", alias: string) =>
  `not exists (select 1 from ${table} x where x.request_key = ${alias}.request_key offset 0)`;
const LACKS = {
  settled: [],
  held: [lacks("settlements", "h")],
  reported: [lacks("holds", "r"), lacks("settlements", "r")],
  sent: [],
};

/** What `query` takes. */
export type Statement = [text: string, parameters: unknown[]];
export type Bind = (value: unknown) => string;

/** A statement whose parameters are bound while its text is written. */
export function statement(write: (bind: Bind) => string): Statement {
  const parameters: unknown[] = [];
  return [write((value) => `$${parameters.push(value)}`), parameters];
}

const ALIAS = { held: "h", settled: "s", reported: "r", sent: "p" } as const;
const AT = {
  held: "h.created_at",
  settled: "s.created_at",
  reported: "r.at",
  sent: "p.created_at",
} as const;
const CREDITS = {
  held: "h.amount",
  settled: "s.amount",
  reported: "0::numeric",
  sent: "0::numeric",
} as const;
const PAYER = {
  held: "h.account",
  settled: "s.account",
  reported: "r.payer",
  sent: "p.account",
} as const;
const AGENT = {
  held: "coalesce(h.agent_id, r.agent_id)",
  settled: "coalesce(s.agent_id, r.agent_id)",
  reported: "r.agent_id",
  sent: "null::text",
} as const;

const ROWS = {
  held: `${HELD_ROW} ${HELD}`,
  settled: `${SETTLED_ROW} ${VERIFIED}`,
  reported: `${REPORTED_ROW} ${REPORTED}`,
  sent: `${SENT_ROW} ${SENT}`,
} as const;

/** One request by the id its builder gave it; the account's as builder, or as the one who paid. */
export const FIND_REQUEST = `
  (${ROWS.settled} where ${isMine("s")}) union all
  (${ROWS.held} where ${isMine("h")} and ${HAS_NO("settlements", "h")}) union all
  (${ROWS.reported} where ${isMine("r")} and ${IS_UNKNOWN_TO_LEDGER}) union all
  (${ROWS.sent} where not $3::boolean and p.account = $2 and p.agent_request_id = $1) limit 1`;

function isMine(alias: string): string {
  const payer = alias === "r" ? PAYER.reported : `${alias}.account`;
  return `(${alias}.request_key = $2 || '/' || $1 or (not $3::boolean and ${payer} = $2 and ${alias}.agent_request_id = $1))`;
}

/**
 * The newest `limit` requests that pass the filter. What was settled comes first, by its index; of the smaller sources
 * only what is not older than the last of these can be on the page, so none is read further back than that.
 */
export function listStatement(
  account: string,
  filter: RequestFilter,
  page: { after: [micros: string, key: string] | undefined; limit: number; offset: number },
): Statement {
  // A number in the text, and one of few: of a parameter the planner expects a tenth of the table.
  const most = 2 ** Math.ceil(Math.log2(page.limit + page.offset));
  const floor = `(select case when count(*) < ${most} then '-infinity' else min(at) end from settled)`;
  const newest = (branch: Branch, bind: Bind): string => {
    if (!mayHave(branch, filter)) return `${ROWS.settled} where false`;
    const key = `${ALIAS[branch]}.request_key`;
    const all = conditionsOf(branch, { account, ...filter }, bind);
    if (page.after) {
      const [micros, id] = page.after.map(bind);
      const instant = `timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`;
      all.push(`(${AT[branch]}, ${key}) < (${instant}, ${id})`);
    }
    if (branch !== "settled") all.push(`${AT[branch]} >= ${floor}`, ...LACKS[branch]);
    return `${ROWS[branch]} where ${all.join(" and ")} order by ${AT[branch]} desc, ${key} desc limit ${most}`;
  };
  return statement(
    (bind) => `with settled as (${newest("settled", bind)})
    select *, (extract(epoch from at) * 1000000)::bigint::text as micros
    from (select * from settled union all (${newest("held", bind)}) union all (${newest("reported", bind)}) union all (${newest("sent", bind)})) requests
    order by at desc, request_key desc limit ${bind(page.limit)} offset ${bind(page.offset)}`,
  );
}

/** How many requests pass the filter, counted no further than `most`. */
export function countStatement(account: string, filter: RequestFilter, most: number): Statement {
  return statement((bind) => {
    const branches = BRANCHES.filter((branch) => mayHave(branch, filter)).map((branch) => {
      const where = [...conditionsOf(branch, { account, ...filter }, bind), ...LACKS[branch]];
      return `(select 1 ${FROM[branch]} where ${where.join(" and ")} limit ${most})`;
    });
    if (branches.length === 0) return "select 0 as n";
    return `select count(*) as n from (select 1 from (${branches.join(" union all ")}) a limit ${most}) b`;
  });
}

/**
 * A statement over every request that passes the filter, once, as `at`, `status`, `cause` and what is known of it. Each
 * source is read by its index and only where the others do not know the request: the settled ones, by far the most, are
 * joined to nothing. What is under way is left out: it has no status yet.
 */
export function statementOf(
  account: string,
  filter: RequestFilter,
  write: (requests: string, bind: Bind) => string,
): Statement {
  return statement((bind) => write(`(${unionOf({ ...filter, account }, bind)}) requests`, bind));
}

/** The same as a part of another statement; `before`, in SQL, ends it for requests that sums cover from there on. */
export function unionOf(
  filter: RequestFilter & { account: string },
  bind: Bind,
  before?: string,
): string {
  const shown = (branch: Branch) =>
    `select ${AT[branch]} as at, ${STATUS[branch]} as status, ${causeOf(branch, filter.role)} as cause, ${PAYER[branch]} as account,
       ${branch === "settled" ? "200" : "r.http_status"} as http_status, ${ALIAS[branch]}.agent_request_id, ${ALIAS[branch]}.plan_id,
       ${AGENT[branch]} as agent_id, r.method || ' ' || r.path as route, ${CREDITS[branch]} as credits,
       coalesce(${seenOf(branch, "verify_ms")}, 0) + ${seenOf(branch, "work_ms")} + coalesce(${seenOf(branch, "settle_ms")}, 0) as ms`;
  const only = {
    settled: [],
    // What was released is never settled; of the rest each is looked up.
    held: [`(h.state = 'released' or ${lacks("settlements", "h")})`, `not ${IS_UNDER_WAY}`],
    reported: [IS_UNKNOWN_TO_LEDGER],
    sent: ["p.state <> 'open'"],
  };
  const branches = BRANCHES.filter((branch) => mayHave(branch, filter)).map((branch) => {
    const where = [...conditionsOf(branch, filter, bind), ...only[branch]];
    if (before && branch !== "sent") where.push(`${AT[branch]} < ${before}`);
    return `${shown(branch)} ${FROM[branch]} where ${where.join(" and ")}`;
  });
  return branches.join(" union all ");
}

/** Whether rows of this source can pass the filter at all. */
function mayHave(branch: Branch, { moneyStatus, role, httpStatus }: RequestFilter): boolean {
  if (branch === "sent" && (role === "builder" || httpStatus !== undefined)) return false;
  const possible: Record<Branch, readonly MoneyStatus[]> = {
    held: ["not-charged", "delivered-unsettled", "unknown"],
    settled: ["settled"],
    sent: ["settled", "not-charged", "unknown"],
    reported: ["free", "challenged", "refused", "delivered-unsettled", "not-charged", "unknown"],
  };
  return !moneyStatus || moneyStatus.some((status) => possible[branch].includes(status));
}

/** The same as `HELD_STATUS`, one condition for each status: of these the planner knows how many rows they leave. */
const heldAs = (wanted: readonly MoneyStatus[]): string => {
  const unpaid = ["not-charged", "delivered-unsettled", "unknown"].filter((status) =>
    wanted.includes(status as MoneyStatus),
  );
  const ways: Record<string, string> = {
    "not-charged": "h.state = 'released' or r.money_status = 'not-charged'",
    "delivered-unsettled": "h.state <> 'released' and r.money_status = 'delivered-unsettled'",
    unknown:
      "h.state <> 'released' and (r.money_status is null or r.money_status not in ('delivered-unsettled', 'not-charged'))",
  };
  return unpaid.map((status) => `(${ways[status]})`).join(" or ") || "false";
};

/** A part of an id is looked for among this many requests of each source. */
const MOST_SEARCHED = 2_000;
const TABLE = { held: "holds", settled: "settlements", reported: "request_reports" } as const;

/** The keys of the newest ones that have this part in their id: few, which the planner would not guess of a condition. */
const newestWith = (branch: Exclude<Branch, "sent">, side: string, search: string): string =>
  `array(select newest.request_key from (select ${ALIAS[branch]}.request_key, ${ALIAS[branch]}.agent_request_id from ${TABLE[branch]} ${ALIAS[branch]}
    where ${side}${branch === "held" ? " and h.state <> 'posted'" : ""} order by ${AT[branch]} desc limit ${MOST_SEARCHED}) newest where position(${search} in newest.agent_request_id) > 0)`;

function conditionsOf(
  branch: Branch,
  filter: RequestFilter & { account: string },
  bind: Bind,
): string[] {
  const alias = ALIAS[branch];
  const { role, moneyStatus, httpStatus } = filter;
  const side = role === "builder" ? `${alias}.builder` : PAYER[branch];
  const all = [`${side} = ${bind(filter.account)}`];
  if (filter.planId !== undefined) all.push(`${alias}.plan_id = ${bind(filter.planId)}`);
  if (filter.agentId !== undefined) all.push(`${AGENT[branch]} = ${bind(filter.agentId)}`);
  if (filter.payer !== undefined) all.push(`${PAYER[branch]} = ${bind(filter.payer)}`);
  if (role === "builder" && !filter.includeTest && filter.payer === undefined) {
    all.push(`not ${branch === "reported" ? isTestReport("r") : isTestPayer(PAYER[branch])}`);
  }
  if (filter.tokenId !== undefined) all.push(`${alias}.jti = ${bind(filter.tokenId)}`);
  if (filter.cause !== undefined) all.push(`${causeOf(branch, role)} = ${bind(filter.cause)}`);
  if (filter.since) all.push(`${AT[branch]} >= ${bind(filter.since.toISOString())}::timestamptz`);
  if (filter.until) all.push(`${AT[branch]} < ${bind(filter.until.toISOString())}::timestamptz`);
  if (filter.search) {
    const search = bind(filter.search);
    const mine = `${side} = ${bind(filter.account)}`;
    all.push(
      branch === "sent"
        ? `position(${search} in ${alias}.agent_request_id) > 0`
        : `${alias}.request_key = any(${newestWith(branch, mine, search)})`,
    );
  }
  if (branch === "held" && filter.hasEnded) all.push(`not ${IS_UNDER_WAY}`);
  if (moneyStatus && branch === "held") all.push(`(${heldAs(moneyStatus)})`);
  else if (moneyStatus && branch !== "settled") {
    // One status is read in order by its index.
    const [first, ...others] = moneyStatus;
    const wanted = others.length === 0 ? bind(first) : `any(${bind(moneyStatus)})`;
    all.push(`${STATUS[branch]} = ${wanted}`);
  }
  const answered = seenOf(branch, "http_status");
  if (httpStatus?.endsWith("xx")) {
    const first = Number(httpStatus[0]) * 100;
    all.push(`${answered} between ${bind(first)}::int and ${bind(first + 99)}::int`);
  } else if (httpStatus) all.push(`${answered} = ${bind(Number(httpStatus))}::int`);
  return all;
}
