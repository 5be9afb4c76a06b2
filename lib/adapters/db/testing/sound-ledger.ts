import { sql } from "drizzle-orm";
import type { Orm } from "../client.ts";

/** Runs statements without triggers and foreign keys, so that rows can also say what the service never writes. */
export async function writeRows(orm: Orm, statements: string): Promise<void> {
  await orm.execute(sql.raw("set local session_replication_role = replica"));
  await orm.execute(sql.raw(`do $rows$ begin ${statements}; end $rows$`));
}

type Columns = Record<string, string | number | boolean>;

/** SQL of a string is its text, but for `app_now()` and what is built on it. */
const literal = (value: Columns[string]) =>
  typeof value === "string" && !value.startsWith("app_now()") ? `'${value}'` : String(value);

const insert = (table: string, rows: Columns[]): string =>
  rows
    .map((row) => {
      const values = Object.values(row).map(literal).join(", ");
      return `insert into ${table} (${Object.keys(row).join(", ")}) values (${values})`;
    })
    .join(";\n");

const DATES = { created_at: "app_now()", updated_at: "app_now()" };

/** An order that waits for its payment, of a plan that was ordered as a trial before. */
export const order = (columns: Columns): string =>
  insert("orders", [
    {
      ...{ order_id: "new", account: "buyer", plan_id: "trial", plan_version: 1, is_trial: false },
      ...{ status: "reserved", scheme: "card", price: 0, currency: "usd", reserved_cents: 0 },
      ...{ reserved_amount: 0, fingerprint: "", attempt: 1, ...DATES, ...columns },
    },
  ]);

/** A refund that a builder paid. */
export const refund = (columns: Columns): string =>
  insert("refunds", [
    {
      ...{ refund_id: "new", account: "buyer", owner: "seller", plan_id: "plan", scheme: "card" },
      ...{ currency: "usd", amount: 0, credits: 0, state: "paid", made_by: "builder" },
      ...{ fingerprint: "", ...DATES, ...columns },
    },
  ]);

/** A reservation that was posted, of a token that is unknown. */
export const hold = ({ request, ...columns }: Columns & { request: string }): string =>
  insert("holds", [
    {
      ...{ request_key: `seller/${request}`, agent_request_id: request, builder: "seller" },
      ...{ account: "buyer", plan_id: "plan", agent_id: "agent", jti: "unknown", amount: 0 },
      ...{ state: "posted", scheme: "card", created_at: "app_now()", expires_at: "app_now()" },
      ...(columns.state !== "held" && { resolved_at: "app_now()" }),
      ...columns,
    },
  ]);

export const settlement = ({ request, ...columns }: Columns & { request: string }): string =>
  insert("settlements", [
    {
      ...{ request_key: `seller/${request}`, agent_request_id: request, builder: "seller" },
      ...{ settlement_id: "new", fingerprint: "", account: "buyer", plan_id: "plan", jti: "token" },
      ...{ agent_id: "agent", delegation_id: "delegation", scheme: "card", network: "card" },
      ...{ amount: 1, remaining: 0, from_hold: false, transaction: "", chain_status: "none" },
      ...{ created_at: "app_now()", ...columns },
    },
  ]);

/** A payment of the builder's refund `unused`. */
export const payment = (columns: Columns): string =>
  insert("account_payments", [
    {
      ...{ payment_id: "new", kind: "refund", account: "seller", token: "usdc", state: "paid" },
      ...{ recipient: "buyer", amount: 500, operation_hash: "0x", tx_hash: "0x" },
      ...{ created_at: "app_now()", closed_at: "app_now()", ...columns },
    },
  ]);

/** Moves credits of the buyer, with the chain and the balance as they have to be. */
export const transfer = (kind: string, amount: number, ref: string, plan = "trial"): string =>
  `perform append_transfer('buyer', '${plan}', '${kind}', ${amount}, '${ref}')`;

const earned = (orderId: string, kind = "earned", amount = 1000) =>
  payable({ order_id: orderId, kind, amount });

export const payable = (columns: Columns): string =>
  `${insert("payables", [
    { owner: "seller", receiver: "seller", currency: "usd", created_at: "app_now()", ...columns },
  ])};
  insert into open_payables select id, owner from payables order by id desc limit 1`;

const bought = (orderId: string, columns: Columns = {}): string[] => [
  order({
    ...{ order_id: orderId, plan_id: "plan", status: "minted", price: 1000, cents: 1000 },
    ...{ reserved_cents: 1000, delegation_id: "delegation", is_collected: true },
    ...{ charged_at: "app_now()", ...columns },
  }),
  `perform mint_order('${orderId}', 'buyer', 'plan', 1)`,
  earned(orderId),
];

const planRows = ["plan", "trial"].map((plan_id) => ({
  ...{ plan_id, owner: "seller", state: "listed", version: 1, access_limit: "credits" },
  ...{ is_trial: plan_id === "trial", metadata: "{}", ...DATES },
}));

export const planVersion = (columns: Columns): string =>
  insert("plan_versions", [
    {
      ...{ plan_id: "plan", version: 1, price: "{}", is_crypto: false, granted: 100 },
      ...{ min_amount: 1, max_amount: 10, is_fixed: false, redemption_type: 4 },
      ...{ proof_required: false, duration_secs: 0, created_at: "app_now()", ...columns },
    },
  ]);

/**
 * A ledger that breaks no rule, with a little of everything the rules are about: orders that were paid, refunded in part,
 * charged back whole and in part, declined, and one that waits; calls with and without a reservation, one of a lease;
 * refunds by the plan's rules of unused credits and of calls; budgets; money out.
 */
export const SOUND_LEDGER = [
  insert(
    "accounts",
    ["buyer", "seller", "rival"].map((address) => ({
      ...{ address, owner: address, created_at: "app_now()" },
    })),
  ),
  insert("plans", planRows),
  planVersion({}),
  planVersion({ plan_id: "trial", granted: 10 }),
  insert("agents", [
    {
      ...{ agent_id: "agent", owner: "seller", metadata: "{}", endpoints: "[]" },
      ...{ open_endpoints: "[]", auth_type: "NONE", ...DATES },
    },
  ]),
  insert("delegations", [
    {
      ...{ delegation_id: "delegation", account: "buyer", provider: "card", currency: "usd" },
      ...{ plan_ids: "{}", spending_limit_cents: 10_000, spent_cents: 4007, reserved_cents: 1000 },
      ...{ max_transactions: 10, transaction_count: 6, session_key_address: "", session_key: "" },
      ...{ created_at: "app_now()", expires_at: "app_now() + interval '1 day'" },
    },
  ]),
  insert("tokens", [
    {
      ...{ jti: "token", account: "buyer", plan_id: "plan", delegation_id: "delegation" },
      ...{ can_order: true, redemption_limit: 10, redeemed: 3, reserved: 3, order_limit: 5000 },
      ...{ order_spent: 4000, order_reserved: 1000, issued_at: "app_now()" },
      expires_at: "app_now() + interval '1 day'",
    },
  ]),
  ...bought("paid"),
  // What is checked from here on follows from what was written down.
  "perform check_recent_balances(app_now() - interval '1 hour')",
  ...bought("part"),
  ...bought("back", { status: "refunded", reversed_amount: 1000, failure_code: "disputed" }),
  ...bought("half", { reversed_amount: 400, failure_code: "disputed" }),
  order({
    ...{ order_id: "waiting", plan_id: "plan", price: 1000, cents: 1000, reserved_cents: 1000 },
    delegation_id: "delegation",
  }),
  order({
    ...{ order_id: "declined", plan_id: "plan", price: 1000, cents: 1000, reserved_cents: 1000 },
    ...{ status: "declined", delegation_id: "delegation" },
  }),
  order({ order_id: "tried", is_trial: true, status: "minted" }),
  "perform mint_order('tried', 'buyer', 'trial', 1)",
  insert("disputes", [
    {
      ...{ dispute_id: "whole", order_id: "back", owner: "seller", amount: 1000 },
      ...{ reason: "fraud", status: "lost", ...DATES },
    },
    {
      ...{ dispute_id: "some", order_id: "half", owner: "seller", amount: 400 },
      ...{ reason: "fraud", status: "lost", ...DATES },
    },
  ]),
  transfer("refund", 100, "back", "plan"),
  earned("back", "reversed"),
  transfer("refund", 40, "half", "plan"),
  earned("half", "reversed", 400),

  hold({ request: "one", amount: 5, jti: "token" }),
  transfer("hold", 5, "seller/one", "plan"),
  transfer("post", 3, "settled-one", "plan"),
  transfer("void", 2, "seller/one", "plan"),
  settlement({ request: "one", settlement_id: "settled-one", amount: 3, from_hold: true }),
  transfer("burn", 2, "settled-two", "plan"),
  settlement({ request: "two", settlement_id: "settled-two", amount: 2 }),
  hold({ request: "three", amount: 4, jti: "token", state: "held" }),
  transfer("hold", 4, "seller/three", "plan"),
  hold({ request: "lease", amount: 2, jti: "token", state: "held", requests: 2 }),
  transfer("hold", 3, "seller/lease", "plan"),
  transfer("post", 1, "settled-four", "plan"),
  settlement({
    ...{ request: "four", settlement_id: "settled-four", from_hold: true, lease_id: "lease" },
  }),

  refund({ refund_id: "unused", order_id: "part", amount: 500, credits: 50, made_by: "rule" }),
  transfer("refund", 50, "unused", "plan"),
  earned("part", "refunded", 500),
  payment({ payment_id: "unused" }),
  refund({
    ...{ refund_id: "failed", order_id: "paid", request_key: "seller/one", amount: 30 },
    made_by: "rule",
  }),
  earned("paid", "refunded", 30),
  refund({ refund_id: "credits", request_key: "seller/two", credits: 2 }),
  transfer("return", 2, "credits", "plan"),
  payment({
    ...{ payment_id: "elsewhere", kind: "exact", account: "buyer", recipient: "rival", amount: 7 },
    ...{ delegation_id: "delegation", delegation_cents: 7 },
  }),

  insert("budgets", [
    { scope: "buyer", account: "buyer", document: "{}", updated_at: "app_now()" },
  ]),
  "perform count_budgets('buyer', '{}')",
  insert("outbox", [
    {
      ...{ kind: "burn", ref: "settled-one", payload: "{}", state: "open", attempts: 0, fence: 0 },
      ...{ due_at: "app_now()", created_at: "app_now()" },
    },
  ]),
  insert("payouts", [
    {
      ...{ payout_id: "payout", account: "seller", processor_account: "", currency: "usd" },
      ...{ amount: 1, state: "sent", transfer_reference: "tr", payout_reference: "po", ...DATES },
      ...{ arrives_at: "app_now()", due_at: "app_now()" },
    },
  ]),
  payable({ payout_id: "payout", kind: "paid-out", amount: 1 }),
  insert("clearings", [{ order_id: "paid", due_at: "app_now()", absent_since: "app_now()" }]),
].join(";\n");
