import type { Stripe } from "stripe";
import { receivedBy } from "./accounts.ts";
import { availableIn, heldIn, recordEntry } from "./balance.ts";
import { mergeMetadata } from "./customers.ts";
import { listAnswer, paging } from "./lists.ts";
import { integer, metadata, readParams, required, text } from "./read-params.ts";
import { find, newId, type Scope, save } from "./scope.ts";
import { invalid, refused } from "./stripe-failure.ts";

/** Moves money of the platform to an account. */
export function createTransfer(scope: Scope) {
  const given = readParams(scope.params, {
    amount: integer,
    currency: text,
    destination: text,
    description: text,
    source_transaction: text,
    transfer_group: text,
    metadata,
  });
  const amount = required(given.amount, "amount");
  const currency = required(given.currency, "currency").toLowerCase();
  if (amount < 1) throw invalid("This value must be greater than or equal to 1.", AMOUNT);
  const destination = findDestination(scope, required(given.destination, "destination"));
  requireFunds(scope, amount, currency);
  return makeTransfer(scope, { ...given, amount, currency, destination });
}

/** Where a platform in the United States can send money to. */
const PAID_COUNTRIES = new Set("US GB CA CH AT BE DE ES FR IE IT NL PL PT SE".split(" "));

/** The account, if money can be sent to it. */
export function findDestination(scope: Scope, id: string, param = "destination"): string {
  const { capabilities, country } = find(scope, "account", id, param);
  if (!PAID_COUNTRIES.has(country ?? "")) {
    throw refused(
      `Funds can't be sent to accounts located in ${country} when the account is under the \`full\` service agreement. To learn more, see https://stripe.com/docs/connect/service-agreement-types.`,
    );
  }
  if (capabilities?.transfers === "active") return id;
  throw refused(
    "Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments",
    { code: "insufficient_capabilities_for_transfer" },
  );
}

type Terms = {
  amount: number;
  currency: string;
  destination: string;
  description?: string | undefined;
  /** A charge, whose money it moves before that has cleared. */
  source_transaction?: string | undefined;
  transfer_group?: string | undefined;
  metadata?: Record<string, string> | undefined;
};

export function makeTransfer(scope: Scope, terms: Terms): Stripe.Transfer {
  const { amount, currency, destination } = terms;
  const source = terms.source_transaction && find(scope, "charge", terms.source_transaction);
  const id = newId("tr");
  const entry = { currency, source: id, availableOn: source ? clearingOf(scope, source) : 0 };
  const transfer: Stripe.Transfer = {
    id,
    object: "transfer",
    amount,
    amount_reversed: 0,
    balance_transaction: recordEntry(scope, {
      ...entry,
      account: null,
      amount: -amount,
      type: "transfer",
    }),
    created: scope.now,
    currency,
    description: terms.description ?? null,
    destination,
    livemode: false,
    metadata: mergeMetadata({}, terms.metadata),
    reversals: { object: "list", data: [], has_more: false, url: `/v1/transfers/${id}/reversals` },
    reversed: false,
    source_transaction: source ? source.id : null,
    source_type: "card",
    transfer_group: terms.transfer_group ?? null,
  };
  const received = receivedBy(scope, destination, { amount, currency });
  recordEntry(scope, { ...entry, ...received, account: destination, type: "payment" });
  return save(scope, transfer, "transfer.created");
}

const clearingOf = ({ work }: Scope, { balance_transaction: id }: Stripe.Charge): number =>
  work.find("balance_transaction", `${id}`)?.available_on ?? 0;

const AMOUNT = { code: "parameter_invalid_integer", param: "amount" };

/** Throws as Stripe does when the balance of the request's account has less. */
export function requireFunds(scope: Scope, amount: number, currency: string): void {
  if (availableIn(scope, currency) < amount) throw insufficient();
}

const insufficient = () =>
  refused(
    "You have insufficient available funds in your Stripe account. Try adding funds directly to your available balance by creating Charges using the 4000000000000077 test card.",
    { code: "balance_insufficient" },
  );

/** Takes a transfer back, whole or in part. */
export function reverseTransfer(scope: Scope): Stripe.TransferReversal {
  const given = readParams(scope.params, { amount: integer, metadata, description: text });
  return makeReversal(scope, { ...given, id: scope.ids[0] ?? "" });
}

export function makeReversal(
  scope: Scope,
  of: {
    id: string;
    amount?: number | undefined;
    metadata?: Record<string, string> | undefined;
    source_refund?: string;
  },
): Stripe.TransferReversal {
  const transfer = find(scope, "transfer", of.id);
  const { currency, source_transaction: charge } = transfer;
  const left = transfer.amount - transfer.amount_reversed;
  const amount = of.amount ?? left;
  if (left === 0 || amount < 1 || amount > left) {
    throw refused(
      `Reversal amount (${amount}) is greater than unreversed amount on transfer (${left}).`,
      { param: "amount" },
    );
  }
  const account = transfer.destination as string;
  const held = charge ? heldIn : availableIn;
  const kept = receivedBy(scope, account, { amount, currency }).currency;
  if (held({ ...scope, account }, kept) < amount) throw insufficient();
  const id = newId("trr");
  const availableOn = charge ? clearingOf(scope, find(scope, "charge", charge as string)) : 0;
  const entry = { currency, source: id, availableOn };
  const reversal: Stripe.TransferReversal = {
    id,
    object: "transfer_reversal",
    amount,
    balance_transaction: recordEntry(scope, {
      ...entry,
      account: null,
      amount,
      type: "transfer_refund",
    }),
    created: scope.now,
    currency,
    destination_payment_refund: null,
    metadata: mergeMetadata({}, of.metadata),
    source_refund: of.source_refund ?? null,
    transfer: transfer.id,
  };
  recordEntry(scope, {
    ...entry,
    account,
    currency: kept,
    amount: -amount,
    type: "payment_refund",
  });
  const reversed = transfer.amount_reversed + amount;
  const changed: Stripe.Transfer = {
    ...transfer,
    amount_reversed: reversed,
    reversed: reversed === transfer.amount,
    // The newest ten, as Stripe shows them.
    reversals: { ...transfer.reversals, data: [reversal, ...transfer.reversals.data].slice(0, 10) },
  };
  scope.work.put(reversal);
  save(scope, changed, "transfer.reversed");
  return reversal;
}

export function listReversals(scope: Scope) {
  const { id } = find(scope, "transfer", scope.ids[0]);
  const page = readParams(scope.params, paging);
  const url = `/v1/transfers/${id}/reversals`;
  return listAnswer(scope, "transfer_reversal", url, page, ({ transfer }) => transfer === id);
}
