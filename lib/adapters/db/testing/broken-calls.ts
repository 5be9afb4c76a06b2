import { hold, settlement, transfer } from "./sound-ledger.ts";

/** What is written to the sound ledger, and the rules it breaks then. */
export type BrokenLedger = {
  what: string;
  statements: string;
  /** The rules of the whole check. */
  breaks: string[];
  /** What is found each minute, with its subjects. */
  recent?: string[];
};

/** Statements after which a balance of a rival is what its transfers say, and none that can be. */
const below = (kind: string) =>
  `insert into balances (account, plan_id, available, held, plan_version, seq, hash) values ('rival', 'trial', 0, 0, 1, 0, '');
   alter table balances drop constraint balances_available, drop constraint balances_held, drop constraint balances_debt;
   perform append_transfer('rival', 'trial', '${kind}', 1, 'rival')`;

const BALANCES: BrokenLedger[] = [
  {
    what: "a mint that takes from nowhere",
    statements: "update transfers set debit = 'elsewhere' where plan_id = 'trial'",
    breaks: ["inv_transfer_sides"],
    recent: ["inv_transfer_sides buyer/trial/1"],
  },
  {
    what: "a transfer of nothing",
    statements: `alter table transfers drop constraint transfers_amount;
      insert into transfers (account, plan_id, seq, kind, debit, credit, amount, ref, created_at, hash)
        values ('rival', 'trial', 1, 'expire', 'available', 'expired', 0, '', app_now(), chain_step('', transfer_link(1, 'expire', 0, '')));
      insert into balances (account, plan_id, available, held, plan_version, seq, hash)
        select account, plan_id, 0, 0, 1, seq, hash from transfers where account = 'rival'`,
    breaks: ["inv_transfer_sides"],
    recent: ["inv_transfer_sides rival/trial/1"],
  },
  {
    what: "fewer than no credits",
    statements: below("expire"),
    breaks: ["inv_balance_negative"],
  },
  {
    what: "fewer than no reserved credits",
    statements: below("void"),
    breaks: ["inv_balance_holds", "inv_balance_negative"],
    recent: ["inv_balance_holds rival/trial"],
  },
  {
    what: "less than no debt",
    statements: below("forgive"),
    breaks: ["inv_balance_negative"],
  },
  {
    what: "a debt without transfers",
    statements: "update balances set debt = 1 where plan_id = 'plan'",
    breaks: ["inv_balance_entries"],
    recent: ["inv_balance_entries buyer/plan"],
  },
  {
    what: "credits without transfers",
    statements: "update balances set available = available + 1 where plan_id = 'plan'",
    breaks: ["inv_balance_entries", "inv_plan_totals"],
    recent: ["inv_balance_entries buyer/plan"],
  },
  {
    what: "a reservation that the balance has not",
    statements: hold({ request: "new", state: "held", amount: 1 }),
    breaks: ["inv_balance_holds"],
    recent: ["inv_balance_holds buyer/plan"],
  },
  {
    what: "transfers without a balance",
    statements: "delete from balances where plan_id = 'trial'",
    breaks: ["inv_entries_without_balance"],
    recent: ["inv_entries_without_balance buyer/trial"],
  },
  {
    what: "a transfer with another reference than was hashed",
    statements: "update transfers set ref = 'other' where ref = 'seller/three'",
    breaks: ["inv_chain"],
    recent: ["inv_chain buyer/plan"],
  },
  {
    what: "a transfer whose hash follows from no other",
    statements: "update transfers set hash = '' where ref = 'seller/three'",
    breaks: ["inv_chain"],
    recent: ["inv_chain buyer/plan"],
  },
  {
    what: "a balance whose last transfer is another one",
    statements: "update balances set hash = '' where plan_id = 'plan'",
    breaks: ["inv_chain_head"],
    recent: ["inv_chain_head buyer/plan"],
  },
  {
    what: "a balance that names no transfer",
    statements: "update balances set seq = 0, hash = '' where plan_id = 'plan'",
    breaks: ["inv_chain_head"],
    recent: ["inv_chain_head buyer/plan"],
  },
];

const LIMITS: BrokenLedger[] = [
  ...[
    "spent_cents = spent_cents + 1",
    "reserved_cents = reserved_cents - 1",
    "transaction_count = transaction_count + 1",
    "spending_limit_cents = 5006",
    "max_transactions = 5",
  ].map((change) => ({
    what: `a delegation with ${change}`,
    statements: `alter table delegations drop constraint delegations_budget, drop constraint delegations_transactions;
      update delegations set ${change}`,
    breaks: ["inv_delegation_limits"],
  })),
  ...[
    "redeemed = redeemed - 1",
    "reserved = reserved + 1",
    "redemption_limit = 5",
    "order_limit = 4999",
  ].map((change) => ({
    what: `a token with ${change}`,
    statements: `alter table tokens drop constraint tokens_redemptions, drop constraint tokens_orders;
      update tokens set ${change}`,
    breaks: ["inv_token_limits"],
  })),
  {
    what: "a budget with more money than was spent",
    statements:
      "update budget_sums set amount = amount + 1 where scope = 'delegation' and payee = '' and unit = 'usd'",
    breaks: ["inv_budget_money"],
  },
  {
    what: "a budget with fewer credits than were used",
    statements:
      "update budget_sums set amount = amount - 1 where scope = 'buyer' and payee = 'agent/agent' and unit = 'credits'",
    breaks: ["inv_budget_uses"],
  },
];

const CALLS: BrokenLedger[] = [
  {
    what: "a reservation that is open and resolved",
    statements: "update holds set resolved_at = app_now() where agent_request_id = 'three'",
    breaks: ["inv_holds_resolved_once"],
  },
  {
    what: "a posted reservation without a settlement",
    statements: hold({ request: "new" }),
    breaks: ["inv_holds_resolved_once"],
  },
  {
    what: "a settlement of more than was reserved",
    statements: "update holds set amount = 2 where agent_request_id = 'one'",
    breaks: ["inv_holds_resolved_once"],
  },
  {
    what: "a lease that is posted with a request left",
    statements: hold({ request: "new", requests: 1 }),
    breaks: ["inv_leases"],
  },
  {
    what: "a lease with fewer than no requests left",
    statements: hold({ request: "new", state: "released", requests: -1 }),
    breaks: ["inv_leases"],
  },
  {
    what: "a lease that settled more credits than it reserved",
    statements: [
      hold({ request: "new", requests: 0, amount: -1 }),
      settlement({ request: "newer", account: "rival", jti: "unknown", lease_id: "new" }),
      transfer("burn", 1, "new"),
    ].join(";\n"),
    breaks: ["inv_leases"],
  },
  {
    what: "a lease of credits that were not reserved",
    statements: hold({ request: "new", requests: 0, amount: 1 }),
    breaks: ["inv_leases"],
  },
  {
    what: "a settlement that burned nothing",
    statements: settlement({ request: "new", account: "rival", jti: "unknown" }),
    breaks: ["inv_settlement_burns"],
    recent: ["inv_settlement_burns new"],
  },
  {
    what: "a settlement that burned less",
    statements: [
      settlement({ request: "new", account: "rival", jti: "unknown", amount: 2 }),
      transfer("burn", 1, "new"),
    ].join(";\n"),
    breaks: ["inv_settlement_burns"],
    recent: ["inv_settlement_burns new"],
  },
  {
    what: "a settlement that burned twice",
    statements: [
      settlement({ request: "new", account: "rival", jti: "unknown", amount: 2 }),
      transfer("burn", 1, "new"),
      transfer("burn", 1, "new"),
    ].join(";\n"),
    breaks: ["inv_settlement_burns"],
    recent: ["inv_settlement_burns new"],
  },
  {
    what: "burned credits without a settlement",
    statements: transfer("burn", 1, "unsettled"),
    breaks: ["inv_burn_without_settlement"],
    recent: ["inv_burn_without_settlement unsettled"],
  },
  ...["expires_at", "revoked_at"].map((end) => ({
    what: `calls after their token's ${end}`,
    statements: `update tokens set ${end} = issued_at - interval '1 second'`,
    breaks: ["inv_burn_after_end"],
    recent: ["four", "one", "two"].map((call) => `inv_burn_after_end settled-${call}`),
  })),
  {
    what: "a call that someone else settled",
    statements: "update settlements set builder = 'rival' where agent_request_id = 'two'",
    breaks: ["inv_settlement_builder"],
    recent: ["inv_settlement_builder settled-two"],
  },
  {
    what: "calls of another builder's agent",
    statements: "update agents set owner = 'rival'",
    breaks: ["inv_settlement_agent"],
    recent: ["four", "one", "two"].map((call) => `inv_settlement_agent settled-${call}`),
  },
];

const COUNTED = "app_now() - interval '1 day'";

const SUMS: BrokenLedger[] = [
  {
    what: "an event that is gone",
    statements: "insert into event_heads (account, sequence, hash) values ('buyer', 1, '')",
    breaks: ["inv_events"],
  },
  {
    what: "a sum of requests that there were not",
    statements: `insert into summed_accounts (account, role, seen, covered_from) values ('rival', 'builder', 1, ${COUNTED});
      insert into request_sums (account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status, n, delivered, credits)
        values ('rival', 'builder', date_trunc('hour', app_now(), 'UTC'), '', '', false, false, 'settled', 1, 1, 1)`,
    breaks: ["inv_request_sums"],
  },
  {
    what: "a sum of unpaid requests that there were not",
    statements: `insert into summed_accounts (account, role, seen, unpaid_from) values ('rival', 'builder', 1, ${COUNTED});
      insert into unpaid_sums (account, role, hour, plan_id, agent_id, is_agent_proven, is_test, is_public, status, cause, reason, n)
        values ('rival', 'builder', date_trunc('hour', app_now(), 'UTC'), '', '', false, false, false, 'refused', '', '', 1)`,
    breaks: ["inv_unpaid_sums"],
  },
];

/** Each breaks one rule about balances, limits, calls or sums, and others only where it cannot be broken alone. */
export const BROKEN_CALLS: BrokenLedger[] = [...BALANCES, ...LIMITS, ...CALLS, ...SUMS];
