import type { Stripe } from "stripe";
import { availableIn, recordEntry } from "./balance.ts";
import { mergeMetadata } from "./customers.ts";
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
  const destination = find(
    scope,
    "account",
    required(given.destination, "destination"),
    "destination",
  );
  if (destination.capabilities?.transfers !== "active") {
    throw refused(
      "Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments",
      { code: "insufficient_capabilities_for_transfer" },
    );
  }
  requireFunds(scope, amount, currency);
  const id = newId("tr");
  const entry = { currency, source: id };
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
    description: given.description ?? null,
    destination: destination.id,
    livemode: false,
    metadata: mergeMetadata({}, given.metadata),
    reversals: { object: "list", data: [], has_more: false, url: `/v1/transfers/${id}/reversals` },
    reversed: false,
    source_transaction: given.source_transaction ?? null,
    source_type: "card",
    transfer_group: given.transfer_group ?? null,
  };
  recordEntry(scope, { ...entry, account: destination.id, amount, type: "payment" });
  return save(scope, transfer, "transfer.created");
}

const AMOUNT = { code: "parameter_invalid_integer", param: "amount" };

/** Throws as Stripe does when the balance of the request's account has less. */
export function requireFunds(scope: Scope, amount: number, currency: string): void {
  if (availableIn(scope, currency) >= amount) return;
  throw refused(
    "You have insufficient available funds in your Stripe account. Try adding funds directly to your available balance by creating Charges using the 4000000000000077 test card.",
    { code: "balance_insufficient" },
  );
}

/** Takes a transfer back, whole or in part. */
export function reverseTransfer(scope: Scope): Stripe.TransferReversal {
  const given = readParams(scope.params, { amount: integer, metadata, description: text });
  const transfer = find(scope, "transfer", scope.ids[0]);
  const { currency } = transfer;
  const left = transfer.amount - transfer.amount_reversed;
  const amount = given.amount ?? left;
  if (left === 0 || amount < 1 || amount > left) {
    throw refused(
      `Reversal amount (${amount}) is greater than unreversed amount on transfer (${left}).`,
      { param: "amount" },
    );
  }
  const account = transfer.destination as string;
  requireFunds({ ...scope, account }, amount, currency);
  const id = newId("trr");
  const entry = { currency, source: id };
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
    metadata: mergeMetadata({}, given.metadata),
    source_refund: null,
    transfer: transfer.id,
  };
  recordEntry(scope, { ...entry, account, amount: -amount, type: "payment_refund" });
  const reversed = transfer.amount_reversed + amount;
  const changed: Stripe.Transfer = {
    ...transfer,
    amount_reversed: reversed,
    reversed: reversed === transfer.amount,
    reversals: { ...transfer.reversals, data: [...transfer.reversals.data, reversal] },
  };
  scope.work.put(reversal);
  save(scope, changed, "transfer.reversed");
  return reversal;
}
