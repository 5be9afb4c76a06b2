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
  [
    "r.method, r.path",
    ...ANSWERED.map((column) => `${seenOf(branch, column)} as "${camelCase(column)}"`),
  ].join(", ");
const camelCase = (column: string) =>
  column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
/** What a wallet signed for the request; its authorization has the id of the token it stands for. */
const paidIn = (alias: "h" | "s") =>
  `null::text as seller, case when ${alias}.scheme = 'exact' then (select a.value::text from authorizations a where a.id = ${alias}.jti) end as paid`;
const causesOf = (branch: Branch) =>
  `${causeOf(branch, "builder")} as cause, ${causeOf(branch, "subscriber")} as "payerCause"`;

export const HELD_ROW = `select h.request_key, h.builder, h.agent_request_id as "agentRequestId", h.created_at as at, h.account as payer, h.plan_id as "planId",
  coalesce(h.agent_id, r.agent_id) as "agentId", h.scheme, h.amount::text as credits,
  h.created_at as "verifiedAt", null::timestamptz as "settledAt", case when h.state in ('released', 'expired') then h.resolved_at end as "releasedAt",
  null::text as "settlementId", '' as transaction, 'none' as "chainStatus",
  h.jti as "tokenId", (select t.delegation_id from tokens t where t.jti = h.jti) as "delegationId", ${HELD_STATUS} as "moneyStatus", ${causesOf("held")}, ${seen("held")}, ${paidIn("h")}`;
export const SETTLED_ROW = `select s.request_key, s.builder, s.agent_request_id as "agentRequestId", s.created_at as at, s.account as payer, s.plan_id as "planId",
  coalesce(s.agent_id, r.agent_id) as "agentId", s.scheme, s.amount::text as credits,
  h.created_at as "verifiedAt", s.created_at as "settledAt", case when h.state in ('released', 'expired') then h.resolved_at end as "releasedAt",
  s.settlement_id as "settlementId", s.transaction, s.chain_status as "chainStatus", s.jti as "tokenId", s.delegation_id as "delegationId", 'settled' as "moneyStatus", ${causesOf("settled")}, ${seen("settled")}, ${paidIn("s")}`;
export const REPORTED_ROW = `select r.request_key, r.builder, r.agent_request_id as "agentRequestId", r.at, r.payer, r.plan_id as "planId",
  r.agent_id as "agentId", null as scheme, '0' as credits,
  null::timestamptz as "verifiedAt", null::timestamptz as "settledAt", null::timestamptz as "releasedAt",
  null as "settlementId", '' as transaction, 'none' as "chainStatus", r.jti as "tokenId", r.delegation_id as "delegationId", r.money_status as "moneyStatus", ${causesOf("reported")}, ${seen("reported")}, null::text as seller, null::text as paid`;
export const SENT_ROW = `select p.request_key, p.builder, p.agent_request_id as "agentRequestId", p.created_at as at, p.account as payer, p.plan_id as "planId",
  null::text as "agentId", p.kind as scheme, '0' as credits,
  p.created_at as "verifiedAt", case when p.state = 'paid' then p.closed_at end as "settledAt",
  case when p.state = 'refused' then p.closed_at end as "releasedAt",
  null::text as "settlementId", coalesce(p.tx_hash, '') as transaction, case p.state when 'paid' then 'included' else 'none' end as "chainStatus",
  p.jti as "tokenId", p.delegation_id as "delegationId", ${STATUS.sent} as "moneyStatus", ${causesOf("sent")},
  null::text as method, p.path, null::smallint as "httpStatus", null::text as reason, null::numeric as "verifyMs", null::numeric as "workMs",
  null::numeric as "settleMs", p.builder as seller, p.amount::text as paid`;
