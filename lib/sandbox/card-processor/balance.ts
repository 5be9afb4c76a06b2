import type { Stripe } from "stripe";
import { takenBack } from "./disputes.ts";
import { settledIn } from "./platform.ts";
import { readParams } from "./read-params.ts";
import { newId, type Scope } from "./scope.ts";

type Entry = {
  /** Whose balance it changes; null is the platform's. */
  account: string | null;
  /** In minor units; negative takes away. */
  amount: number;
  currency: string;
  type: Stripe.BalanceTransaction.Type;
  source: string;
};

/** Writes one change of a balance; its id. */
export function recordEntry(scope: Scope, entry: Entry): string {
  const { account, amount, currency, type, source } = entry;
  const id = newId("txn");
  const row: Stripe.BalanceTransaction = {
    id,
    object: "balance_transaction",
    amount,
    available_on: scope.now,
    balance_type: "payments",
    created: scope.now,
    currency,
    description: null,
    exchange_rate: null,
    fee: 0,
    fee_details: [],
    net: amount,
    reporting_category: type,
    source,
    status: "available",
    type,
  };
  scope.work.put(row);
  scope.work.put({ object: "connect_record", id, account });
  return id;
}

/** Whether a row belongs to the account the request names, or to the platform when it names none. */
export const isOwn = ({ work, account }: Scope, id: string): boolean =>
  (work.find("connect_record", id)?.account ?? null) === account;

/**
 * What each currency's balance has: of the platform, charges minus refunds and disputes and what was transferred; of an
 * account, what it received minus its payouts.
 */
function sumsOf(scope: Scope): Map<string, number> {
  const sums = new Map<string, number>();
  const add = (currency: string, amount: number) =>
    sums.set(currency, (sums.get(currency) ?? 0) + amount);
  for (const charge of scope.account === null ? scope.work.all("charge") : []) {
    const left = charge.amount_captured - charge.amount_refunded;
    // At a rate of one, as no one looks at what a conversion yields.
    add(settledIn(scope, charge.currency), Math.max(0, left - takenBack(scope, charge)));
  }
  for (const entry of scope.work.all("balance_transaction")) {
    if (isOwn(scope, entry.id)) add(entry.currency, entry.net);
  }
  return sums;
}

export const availableIn = (scope: Scope, currency: string): number =>
  sumsOf(scope).get(currency) ?? 0;

export function getBalance(scope: Scope) {
  readParams(scope.params, {});
  const available = [...sumsOf(scope)].map(([currency, amount]) => ({
    amount,
    currency,
    source_types: { card: amount },
  }));
  return { object: "balance", available, livemode: false, pending: [] };
}
