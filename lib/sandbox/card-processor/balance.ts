import type { Stripe } from "stripe";
import { takenBack } from "./disputes.ts";
import { clearsAt, settledIn } from "./platform.ts";
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
  /** Of what belongs to a charge that has not cleared: when it does. */
  availableOn?: number;
};

/** Writes one change of a balance; its id. */
export function recordEntry(scope: Scope, entry: Entry): string {
  const { account, amount, currency, type, source } = entry;
  const id = newId("txn");
  const soonest = type === "charge" ? clearsAt(scope) : scope.now;
  const availableOn = Math.max(soonest, entry.availableOn ?? 0);
  const row: Stripe.BalanceTransaction = {
    id,
    object: "balance_transaction",
    amount,
    available_on: availableOn,
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
    status: availableOn > scope.now ? "pending" : "available",
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
 * account, what it received minus its payouts. Charges count once they have cleared, and before that as pending.
 */
function sumsOf(scope: Scope) {
  const available = new Map<string, number>();
  const pending = new Map<string, number>();
  const add = (sums: Map<string, number>, currency: string, amount: number) =>
    sums.set(currency, (sums.get(currency) ?? 0) + amount);
  for (const charge of scope.account === null ? scope.work.all("charge") : []) {
    const left = charge.amount_captured - charge.amount_refunded;
    // At a rate of one, as no one looks at what a conversion yields.
    const amount = Math.max(0, left - takenBack(scope, charge));
    add(hasCleared(scope, charge) ? available : pending, settledIn(scope, charge.currency), amount);
  }
  for (const entry of scope.work.all("balance_transaction")) {
    // Of charges they say when they clear; what is left of one is counted above.
    if (entry.type === "charge" || !isOwn(scope, entry.id)) continue;
    add(entry.available_on <= scope.now ? available : pending, entry.currency, entry.net);
  }
  return { available, pending };
}

function hasCleared({ work, now }: Scope, { balance_transaction: id }: Stripe.Charge): boolean {
  const entry = id ? work.find("balance_transaction", `${id}`) : undefined;
  return !entry || entry.available_on <= now;
}

export const availableIn = (scope: Scope, currency: string): number =>
  sumsOf(scope).available.get(currency) ?? 0;

/** The same with what has not cleared yet. */
export function heldIn(scope: Scope, currency: string): number {
  const { available, pending } = sumsOf(scope);
  return (available.get(currency) ?? 0) + (pending.get(currency) ?? 0);
}

export function getBalance(scope: Scope) {
  readParams(scope.params, {});
  const { available, pending } = sumsOf(scope);
  const rowsOf = (sums: Map<string, number>) =>
    [...sums].map(([currency, amount]) => ({ amount, currency, source_types: { card: amount } }));
  return {
    object: "balance",
    available: rowsOf(available),
    livemode: false,
    pending: rowsOf(pending),
  };
}
