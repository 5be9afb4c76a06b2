import type { BrokenLedger } from "./broken-calls.ts";
import { order, payable, payment, planVersion, refund, transfer } from "./sound-ledger.ts";

const MAX_UINT256 = (1n << 256n) - 1n;

const minted = (columns: Parameters<typeof order>[0]) =>
  [
    order({ status: "minted", price: 5, charged_at: "app_now()", ...columns }),
    "perform mint_order('new', 'buyer', 'trial', 1)",
  ].join(";\n");

const ORDERS: BrokenLedger[] = [
  {
    what: "credits of a declined order",
    statements: "update orders set status = 'declined' where order_id = 'tried'",
    breaks: ["inv_orders_minted"],
    recent: ["inv_orders_minted tried"],
  },
  {
    what: "a minted order without credits",
    statements: order({ status: "minted" }),
    breaks: ["inv_orders_minted"],
    recent: ["inv_orders_minted new"],
  },
  {
    what: "credits of an order that was not charged",
    statements: "update orders set charged_at = null where order_id = 'paid'",
    breaks: ["inv_orders_minted"],
    recent: ["inv_orders_minted paid"],
  },
  {
    what: "credits that were not ordered",
    statements: transfer("mint", 1, "unordered"),
    breaks: ["inv_mint_without_order"],
    recent: ["inv_mint_without_order unordered"],
  },
  {
    what: "an order that was charged a while ago and has no credits",
    statements: order({ status: "charging", charged_at: "app_now() - interval '16 minutes'" }),
    breaks: ["inv_charged_without_credits"],
  },
  {
    what: "two trials",
    statements: `drop index orders_trial_once; ${order({ is_trial: true })}`,
    breaks: ["inv_trial_once"],
  },
  {
    what: "an order that cannot be minted",
    statements: [
      planVersion({ version: 2, granted: `${MAX_UINT256}` }),
      order({ plan_id: "plan", plan_version: 2 }),
    ].join(";\n"),
    breaks: ["inv_orders_unmintable"],
  },
  {
    what: "a paid order without an invoice",
    statements: "delete from invoices where order_id = 'half'",
    breaks: ["inv_invoices"],
  },
  {
    what: "a gap in a seller's invoices",
    statements: "update invoices set number = 9 where order_id = 'half'",
    breaks: ["inv_invoices"],
  },
];

const REFUNDS: BrokenLedger[] = [
  {
    what: "credits given back that were not taken",
    statements: transfer("restore", 1, "tried"),
    breaks: ["inv_refunds"],
    recent: ["inv_refunds tried"],
  },
  {
    what: "more credits taken back than were granted",
    statements: transfer("refund", 51, "part", "plan"),
    breaks: ["inv_refunds"],
    recent: ["inv_refunds part"],
  },
  {
    what: "a refund of more than the price of an order from before",
    statements: `update orders set updated_at = app_now() - interval '2 hours' where order_id = 'tried';
      ${refund({ order_id: "tried", amount: 1 })}`,
    breaks: ["inv_refunds"],
    recent: ["inv_refunds tried"],
  },
  {
    what: "an order that was refunded whole and is not called so",
    statements: `${minted({})}; ${refund({ order_id: "new", amount: 5 })}`,
    breaks: ["inv_refunds"],
    recent: ["inv_refunds new"],
  },
  {
    what: "credits taken back without a refund",
    statements: transfer("refund", 1, "tried"),
    breaks: ["inv_refunds"],
    recent: ["inv_refunds tried"],
  },
  {
    what: "a refund of a declined order",
    statements: refund({ order_id: "declined", amount: 1 }),
    breaks: ["inv_refunds"],
    recent: ["inv_refunds declined"],
  },
  {
    what: "a refunded order without a refund",
    statements: `${minted({ status: "refunded" })}; ${transfer("refund", 10, "new")}`,
    breaks: ["inv_refunds"],
    recent: ["inv_refunds new"],
  },
  {
    what: "a refunded order whose credits were left",
    statements: minted({ status: "refunded", reversed_amount: 5 }),
    breaks: ["inv_refunds"],
    recent: ["inv_refunds new"],
  },
  {
    what: "a chargeback of more than was disputed",
    statements: "update disputes set amount = 399 where dispute_id = 'some'",
    breaks: ["inv_chargebacks"],
  },
  {
    what: "a chargeback in part of an order that is not called disputed",
    statements: "update orders set failure_code = null where order_id = 'half'",
    breaks: ["inv_chargebacks"],
  },
  {
    what: "a chargeback that took too many credits",
    statements: transfer("refund", 3, "half", "plan"),
    breaks: ["inv_chargebacks"],
  },
  {
    what: "a chargeback that took too few credits",
    statements: transfer("restore", 1, "half", "plan"),
    breaks: ["inv_chargebacks"],
  },
  {
    what: "a refund that took other credits than it says",
    statements: transfer("refund", 1, "unused", "plan"),
    breaks: ["inv_refund_credits"],
    recent: ["inv_refund_credits unused"],
  },
  {
    what: "a refused refund that gave credits",
    statements: "update refunds set state = 'refused' where refund_id = 'credits'",
    breaks: ["inv_refund_credits"],
    recent: ["inv_refund_credits credits"],
  },
  {
    what: "a refund by rule of more than its unused credits",
    statements: `${transfer("restore", 1, "unused", "plan")};
      update refunds set credits = 49 where refund_id = 'unused'`,
    breaks: ["inv_refund_rules"],
    recent: ["inv_refund_rules unused"],
  },
  {
    what: "a refund by rule of more than the failed call cost",
    statements: `${payable({ order_id: "paid", kind: "refunded", amount: 1 })};
      update refunds set amount = 31 where refund_id = 'failed'`,
    breaks: ["inv_refund_rules"],
    recent: ["inv_refund_rules failed"],
  },
  {
    what: "a call refunded twice",
    statements: `drop index refunds_call; ${refund({ request_key: "seller/two" })}`,
    breaks: ["inv_refund_calls"],
  },
  {
    what: "a call refunded with more than it took",
    statements: `${transfer("return", 1, "credits", "plan")};
      update refunds set credits = 3 where refund_id = 'credits'`,
    breaks: ["inv_refund_calls"],
  },
];

const MONEY: BrokenLedger[] = [
  { what: "a payment for no refund", statements: payment({}), breaks: ["inv_refund_payments"] },
  ...["amount = 499", "account = 'rival'", "recipient = 'rival'"].map((change) => ({
    what: `a refund's payment with ${change}`,
    statements: `update account_payments set ${change} where payment_id = 'unused'`,
    breaks: ["inv_refund_payments"],
  })),
  {
    what: "a payment of a refund that was declined",
    statements: `${refund({ state: "declined", amount: 500 })}; ${payment({})}`,
    breaks: ["inv_refund_payments"],
  },
  ...[
    "closed_at = null",
    "tx_hash = null",
    "failure_code = 'x'",
    "due_at = app_now()",
    "operation_hash = null",
  ].map((change) => ({
    what: `a payment out with ${change}`,
    statements: `update account_payments set ${change} where payment_id = 'elsewhere'`,
    breaks: ["inv_account_payments"],
  })),
  {
    what: "more earned than an order's price",
    statements: payable({ order_id: "paid", kind: "earned", amount: 1 }),
    breaks: ["inv_payables"],
    recent: ["inv_payables paid"],
  },
  {
    what: "more paid out than an order's price",
    statements: payable({ order_id: "paid", kind: "paid-out", amount: 1001 }),
    breaks: ["inv_payables"],
    recent: ["inv_payables paid"],
  },
  {
    what: "a fee of more than was earned",
    statements: payable({ order_id: "paid", kind: "fee", amount: 1001 }),
    breaks: ["inv_fees"],
  },
  {
    what: "a sum of card money that no row brought",
    statements: "insert into owed_sums values ('builder', 'usd', 1, 1, 0)",
    breaks: ["inv_owed_sums"],
  },
  {
    what: "a month of sales that no row brought",
    statements: "insert into statement_months values ('builder', '', '2026-01', 'usd', 1, 0)",
    breaks: ["inv_statement_months"],
  },
  {
    what: "a payout of another amount than was taken",
    statements: "update payouts set amount = 2",
    breaks: ["inv_payouts"],
  },
  {
    what: "a failed payout whose amount was not given back",
    statements: "update payouts set state = 'failed'",
    breaks: ["inv_payouts"],
  },
  {
    what: "a sent payout without a reference",
    statements: "update payouts set payout_reference = null",
    breaks: ["inv_payouts"],
  },
];

const LATE: BrokenLedger[] = [
  {
    what: "work that waits for over an hour",
    statements: "update outbox set created_at = app_now() - interval '61 minutes'",
    breaks: ["inv_outbox_late"],
    recent: ["inv_outbox_late burn"],
  },
  {
    what: "an event that waits for its number for over an hour",
    statements:
      "insert into event_queue (type, subject, accounts, data, created_at) values ('plan.created', '1', '{buyer}', '{}', app_now() - interval '61 minutes')",
    breaks: [],
    recent: ["inv_events_late plan.created"],
  },
  {
    what: "a refund that has been owed for over a day",
    statements:
      "update orders set refund_state = 'owed', due_at = app_now(), updated_at = app_now() - interval '25 hours' where order_id = 'declined'",
    breaks: ["inv_refunds_late"],
    recent: ["inv_refunds_late declined"],
  },
  {
    what: "a refund that has been open for over a day",
    statements: `${refund({ order_id: "tried", state: "open", due_at: "app_now()" })};
      update refunds set updated_at = app_now() - interval '25 hours' where refund_id = 'new'`,
    breaks: ["inv_refunds_open"],
    recent: ["inv_refunds_open new"],
  },
  {
    what: "a payout that is a week late at the bank",
    statements: "update payouts set arrives_at = app_now() - interval '169 hours'",
    breaks: [],
    recent: ["inv_payouts_late payout"],
  },
  {
    what: "a payout that has been open for over a day",
    statements: "update payouts set state = 'open', updated_at = app_now() - interval '25 hours'",
    breaks: [],
    recent: ["inv_payouts_late payout"],
  },
  {
    what: "a sale that the processor has not known for over a week",
    statements: "update clearings set absent_since = app_now() - interval '169 hours'",
    breaks: [],
    recent: ["inv_clearings_late paid"],
  },
];

/** Each breaks one rule about orders, refunds or money, or one about late work. */
export const BROKEN_ORDERS: BrokenLedger[] = [...ORDERS, ...REFUNDS, ...MONEY, ...LATE];
