import { KNOWN_CAUSES, SETUP_CAUSES } from "@/lib/domain/figures/refusals.ts";
import { isCharged } from "./charged-reports.ts";

// A request is its settlement, else its hold, else its report; one that another seller was paid for is the
// payment. Money status is what happened to the
// credits: the ledger's word where it has one, the report's where it has none, and never `settled` from a report.
const HELD_STATUS = `case when h.state = 'released' then 'not-charged'
  when r.money_status in ('delivered-unsettled', 'not-charged') then r.money_status else 'unknown' end`;

export type Branch = "held" | "settled" | "reported" | "sent";
export const STATUS = {
  held: HELD_STATUS,
  settled: "'settled'",
  reported: "r.money_status",
  sent: "case p.state when 'paid' then 'settled' when 'refused' then 'not-charged' else 'unknown' end",
} as const;
export const IS_UNDER_WAY = `(h.state = 'held' and r.request_key is null)`;

const listed = (codes: readonly string[]) => codes.map((code) => `'${code}'`).join(", ");

// Each side's word for why a request was not paid. A payer reads the codes of one list: what a gate says in its own
// words, and which part of a builder's setup is wrong, is the builder's.
const CAUSE_FOR = {
  builder: "coalesce(r.cause, nullif(r.reason, ''))",
  subscriber: `case when r.cause in (${listed(SETUP_CAUSES)}) then 'builder_setup'
    when coalesce(r.cause, r.reason) in (${listed(KNOWN_CAUSES)}) or r.reason ~ '^status_[1-5][0-9][0-9]$' then coalesce(r.cause, r.reason) end`,
} as const;

export function causeOf(branch: Branch, side: keyof typeof CAUSE_FOR): string {
  const none = branch === "reported" ? "r.money_status = 'free'" : IS_UNDER_WAY;
  if (branch === "sent") return "case p.state when 'open' then 'unknown' else p.failure_code end";
  if (branch === "settled") return "case when s.chain_status = 'failed' then 'chain_failed' end";
  return `case when ${none} then null else ${unpaidCause(side, STATUS[branch])} end`;
}

/** Why a request was not paid, of a row `r` with a report's cause and reason; its status, in SQL, where it has neither. */
export const unpaidCause = (side: keyof typeof CAUSE_FOR, status: string): string =>
  `case when r.reason ~ '^written off(:|$)' then 'written_off' else coalesce(${CAUSE_FOR[side]}, ${status}) end`;

const ANSWERED = ["http_status", "reason", "verify_ms", "work_ms", "settle_ms"] as const;
/** What a gate reported of a request's answer; of a settled one, only of the attempt that was charged. */
export const seenOf = (branch: Branch, column: (typeof ANSWERED)[number]): string =>
  branch === "settled" ? `case when ${isCharged("r")} then r.${column} end` : `r.${column}`;
const seen = (branch: Branch) =>
  ["r.method, r.path", ...ANSWERED.map((column) => `${seenOf(branch, column)} as ${column}`)].join(
    ", ",
  );
/** What a wallet signed for the request; its authorization has the id of the token it stands for. */
const paidIn = (alias: "h" | "s") =>
  `null::text as seller, case when ${alias}.scheme = 'exact' then (select a.value::text from authorizations a where a.id = ${alias}.jti) end as paid`;
const causesOf = (branch: Branch) =>
  `${causeOf(branch, "builder")} as cause, ${causeOf(branch, "subscriber")} as payer_cause`;

export const HELD_ROW = `select h.request_key, h.builder, h.agent_request_id, h.created_at as happened_at, h.account, h.plan_id,
  coalesce(h.agent_id, r.agent_id) as agent_id, h.scheme, h.amount::text as credits,
  h.created_at as verified_at, null::timestamptz as settled_at, case when h.state in ('released', 'expired') then h.resolved_at end as released_at,
  null::text as settlement_id, '' as transaction, 'none' as chain_status,
  h.jti, (select t.delegation_id from tokens t where t.jti = h.jti) as delegation_id, ${HELD_STATUS} as money_status, ${causesOf("held")}, ${seen("held")}, ${paidIn("h")}`;
export const SETTLED_ROW = `select s.request_key, s.builder, s.agent_request_id, s.created_at as happened_at, s.account, s.plan_id,
  coalesce(s.agent_id, r.agent_id) as agent_id, s.scheme, s.amount::text as credits,
  h.created_at as verified_at, s.created_at as settled_at, case when h.state in ('released', 'expired') then h.resolved_at end as released_at,
  s.settlement_id, s.transaction, s.chain_status, s.jti, s.delegation_id, 'settled' as money_status, ${causesOf("settled")}, ${seen("settled")}, ${paidIn("s")}`;
export const REPORTED_ROW = `select r.request_key, r.builder, r.agent_request_id, r.at as happened_at, r.payer as account, r.plan_id,
  r.agent_id, null as scheme, '0' as credits,
  null::timestamptz as verified_at, null::timestamptz as settled_at, null::timestamptz as released_at,
  null as settlement_id, '' as transaction, 'none' as chain_status, r.jti, r.delegation_id, r.money_status, ${causesOf("reported")}, ${seen("reported")}, null::text as seller, null::text as paid`;
export const SENT_ROW = `select p.request_key, p.builder, p.agent_request_id, p.created_at as happened_at, p.account, p.plan_id,
  null::text as agent_id, p.kind as scheme, '0' as credits,
  p.created_at as verified_at, case when p.state = 'paid' then p.closed_at end as settled_at,
  case when p.state = 'refused' then p.closed_at end as released_at,
  null::text as settlement_id, coalesce(p.tx_hash, '') as transaction, case p.state when 'paid' then 'included' else 'none' end as chain_status,
  p.jti, p.delegation_id, ${STATUS.sent} as money_status, ${causesOf("sent")},
  null::text as method, p.path, null::smallint as http_status, null::text as reason, null::numeric as verify_ms, null::numeric as work_ms,
  null::numeric as settle_ms, p.builder as seller, p.amount::text as paid`;
