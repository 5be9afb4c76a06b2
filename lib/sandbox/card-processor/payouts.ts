import type { Stripe } from "stripe";
import { checkPayoutStep } from "./amounts.ts";
import { isOwn, recordEntry } from "./balance.ts";
import { mergeMetadata } from "./customers.ts";
import { listOf } from "./lists.ts";
import { platformOf } from "./platform.ts";
import { integer, metadata, readParams, required, text } from "./read-params.ts";
import { empty, find, newId, type Scope, save } from "./scope.ts";
import { refused } from "./stripe-failure.ts";
import { requireFunds } from "./transfers.ts";

const ARRIVES_AFTER_SECS = 2 * 86_400;

const FAILURES: Record<string, string> = {
  account_closed: "The bank account has been closed.",
  could_not_process: "The bank could not process this payout.",
};

/** Sends money of the request's account to its bank. */
export function createPayout(scope: Scope): Stripe.Payout {
  const given = readParams(scope.params, {
    amount: integer,
    currency: text,
    description: text,
    method: text,
    metadata,
    statement_descriptor: text,
  });
  const amount = required(given.amount, "amount");
  const currency = required(given.currency, "currency").toLowerCase();
  if (scope.account && !find(scope, "account", scope.account).payouts_enabled) {
    throw refused("Cannot create payouts; this account has payouts disabled.", {
      code: "payouts_not_allowed",
    });
  }
  checkPayoutStep(amount, currency);
  const least = platformOf(scope).leastPayout ?? 1;
  if (amount < least) {
    throw refused(`Amount must be no less than ${least} of the smallest unit of ${currency}.`, {
      code: "amount_too_small",
      param: "amount",
    });
  }
  requireFunds(scope, amount, currency);
  const id = newId("po");
  const payout: Stripe.Payout = {
    id,
    object: "payout",
    ...empty("application_fee application_fee_amount failure_balance_transaction failure_code"),
    ...empty("failure_message original_payout payout_method reversed_by trace_id"),
    amount,
    arrival_date: scope.now + ARRIVES_AFTER_SECS,
    automatic: false,
    balance_transaction: recordEntry(scope, {
      account: scope.account,
      amount: -amount,
      currency,
      type: "payout",
      source: id,
    }),
    created: scope.now,
    currency,
    description: given.description ?? null,
    destination: scope.account && `ba_${scope.account.slice(5)}`,
    livemode: false,
    metadata: mergeMetadata({}, given.metadata),
    method: given.method ?? "standard",
    reconciliation_status: "not_applicable",
    source_type: "card",
    statement_descriptor: given.statement_descriptor ?? null,
    status: "pending",
    type: "bank_account",
  };
  scope.work.put(payout);
  scope.work.put({ object: "connect_record", id, account: scope.account });
  scope.emit("payout.created", payout);
  return payout;
}

export function getPayout(scope: Scope): Stripe.Payout {
  const payout = find(scope, "payout", scope.ids[0]);
  if (isOwn(scope, payout.id)) return progress(scope, payout);
  return find(scope, "payout", `${payout.id} of this account`);
}

const listOwn = listOf("payout", { status: "status" }, (scope, row) => isOwn(scope, row.id));

export function listPayouts(scope: Scope) {
  for (const row of scope.work.all("payout")) if (isOwn(scope, row.id)) progress(scope, row);
  return listOwn(scope);
}

/** What the bank did since: a closed account sends the money back, others have it on the arrival date. */
function progress(scope: Scope, payout: Stripe.Payout): Stripe.Payout {
  if (payout.status !== "pending") return payout;
  if (scope.account && scope.work.find("connect_record", scope.account)?.hasClosedBank) {
    return finishPayout(scope, payout.id, "account_closed");
  }
  return scope.now >= payout.arrival_date ? finishPayout(scope, payout.id, null) : payout;
}

/** Ends a payout: the bank has it, or sends it back with a failure code. */
export function finishPayout(scope: Scope, id: string, failure: string | null): Stripe.Payout {
  const payout = find(scope, "payout", id);
  if (failure === null) {
    const paid: Stripe.Payout = { ...payout, status: "paid" };
    save(scope, paid, "payout.paid");
    return paid;
  }
  if (payout.status === "failed") return payout;
  const failed: Stripe.Payout = {
    ...payout,
    status: "failed",
    failure_code: failure,
    failure_message: FAILURES[failure] ?? FAILURES.could_not_process ?? null,
    failure_balance_transaction: recordEntry(scope, {
      account: scope.work.find("connect_record", id)?.account ?? null,
      amount: payout.amount,
      currency: payout.currency,
      type: "payout_failure",
      source: id,
    }),
  };
  return save(scope, failed, "payout.failed");
}
