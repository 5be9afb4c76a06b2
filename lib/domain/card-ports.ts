import type { CardSetup, PaymentMethodSummary } from "@turnpike/payments/protocol";
import type { AuditNote } from "./records.ts";

/** Saved cards; with the card rail. Refusals are thrown as `PaymentsError`s with the bank's reason. */
export interface CardProcessor {
  listPaymentMethods(account: string): Promise<PaymentMethodSummary[]>;
  /** Begins adding a card: a page finishes it with the client secret. */
  startCard(account: string): Promise<CardSetup>;
  /** How adding a card went; the first card becomes the default. `not_found` for another account's. */
  finishCard(account: string, setupIntentId: string): Promise<CardSetup>;
  /** Saves a card the processor knows by a token, such as the sandbox's test cards. */
  saveCard(account: string, token: string): Promise<CardSetup>;
  /** Forgets a card; it can never be charged again. `not_found` for another account's. */
  removeCard(account: string, paymentMethodId: string): Promise<void>;
  /** Makes a card the default. `not_found` for another account's. */
  setDefaultCard(account: string, paymentMethodId: string): Promise<void>;
}

/** Which customer of the processor an account is, by the account in lower case. */
export interface CardCustomers {
  find(account: string): Promise<string | null>;
  /** Notes the account's customer, in the place of one that is gone; the one that was noted first. */
  keep(account: string, customer: string, instead: string | null): Promise<string>;
}

/** What hangs on a saved card: live delegations that charge it, and the live tokens under them. */
export type CardUses = {
  delegations: { delegationId: string; planIds: string[]; currency: string; leftCents: bigint }[];
  tokens: { tokenId: string; planId: string; delegationId: string }[];
};

export interface CardDelegations {
  usesOf(account: string, paymentMethodId: string): Promise<CardUses>;
  /** Ends them all, tokens and delegations, in one transaction; what it ended. */
  end(account: string, paymentMethodId: string, audit: AuditNote): Promise<CardUses>;
}
