import type { Stripe } from "stripe";
import { mergeMetadata } from "./customers.ts";
import { platformOf } from "./platform.ts";
import { flag, metadata, object, readParams, required, text } from "./read-params.ts";
import { find, newId, type Scope } from "./scope.ts";
import { invalid, refused, StripeFailure } from "./stripe-failure.ts";

/** What the processor keeps of a payment that it converts when it reaches an account, in hundredths. */
const CONVERSION_FEE = 1;

/** What an account is asked for at first. */
const ASKED = ["individual.first_name", "individual.verification.document", "external_account"];
/** What is left when the document is sent later. */
export const DOCUMENT = ["individual.verification.document"];

/** How onboarding ended: with everything, without the document, or with a bank account that was closed. */
export type Onboarding = "complete" | "document-later" | "closed-bank";

export function createAccount(scope: Scope): Stripe.Account {
  const given = readParams(scope.params, {
    type: text,
    country: text,
    email: text,
    business_type: text,
    metadata,
    capabilities: object({
      transfers: object({ requested: flag }),
      card_payments: object({ requested: flag }),
    }),
    settings: object({ payouts: object({ schedule: object({ interval: text }) }) }),
  });
  if (platformOf(scope).isOff) {
    throw refused(
      "You can only create new accounts if you've signed up for Connect, which you can do at https://dashboard.stripe.com/connect.",
    );
  }
  const { transfers, card_payments: cards } = given.capabilities ?? {};
  if (transfers?.requested && !cards?.requested) {
    throw refused(
      "Your platform needs approval for accounts to have requested the `transfers` capability without the `card_payments` capability.",
    );
  }
  const id = newId("acct");
  const account: Stripe.Account = {
    id,
    object: "account",
    business_type: given.business_type ?? null,
    capabilities: { card_payments: "inactive", transfers: "inactive" },
    charges_enabled: false,
    country: given.country ?? "US",
    created: scope.now,
    default_currency: "usd",
    details_submitted: false,
    email: given.email ?? null,
    external_accounts: banksOf(id, []),
    metadata: mergeMetadata({}, given.metadata),
    payouts_enabled: false,
    requirements: requirementsOf(ASKED),
    type: given.type ?? "standard",
  };
  scope.work.put(account);
  return account;
}

/** What the account's owner enters on the hosted page, with a bank account in each of the currencies. */
export function finishOnboarding(
  scope: Scope,
  id: string,
  how: Onboarding,
  { currencies = ["usd"], country }: { currencies?: string[]; country?: string } = {},
): Stripe.Account {
  const account = find(scope, "account", id);
  const isComplete = how !== "document-later";
  const changed: Stripe.Account = {
    ...account,
    capabilities: { card_payments: "active", transfers: "active" },
    charges_enabled: isComplete,
    country: country ?? account.country,
    default_currency: currencies[0] ?? "usd",
    external_accounts: banksOf(id, currencies),
    details_submitted: true,
    payouts_enabled: isComplete,
    requirements: requirementsOf(isComplete ? [] : DOCUMENT),
  };
  scope.work.put(changed);
  scope.work.put({
    object: "connect_record",
    id,
    account: id,
    hasClosedBank: how === "closed-bank",
  });
  scope.emit("account.updated", changed);
  return changed;
}

export function getAccount(scope: Scope): Stripe.Account {
  readParams(scope.params, {});
  const [id = ""] = scope.ids;
  const account = scope.work.find("account", id);
  if (account && !scope.work.find("connect_record", id)?.isClosed) return account;
  throw new StripeFailure(
    403,
    "invalid_request_error",
    `The provided key 'sk_test_****' does not have access to account '${id}' (or that account does not exist). Application access may have been revoked.`,
    { code: "account_invalid" },
  );
}

const banksOf = (account: string, currencies: string[]): Stripe.Account["external_accounts"] => ({
  object: "list",
  data: currencies.map(
    (currency) =>
      ({
        id: `ba_${account.slice(5)}${currency}`,
        object: "bank_account",
        account,
        currency,
      }) as Stripe.BankAccount,
  ),
  has_more: false,
  url: `/v1/accounts/${account}/external_accounts`,
});

/** What of a payment reaches an account: it holds the currencies of its bank accounts, and others are converted at a rate of one. */
export function receivedBy(
  scope: Scope,
  id: string,
  { amount, currency }: { amount: number; currency: string },
): { amount: number; currency: string } {
  const { external_accounts: banks, default_currency: home } = find(scope, "account", id);
  if (banks?.data.some((bank) => bank.currency === currency)) return { amount, currency };
  return {
    amount: Math.floor((amount * (100 - CONVERSION_FEE)) / 100),
    currency: home ?? currency,
  };
}

/** What an account still has to send, and that nothing is paid out meanwhile. */
export function requirementsOf(due: string[]): Stripe.Account.Requirements {
  return {
    alternatives: [],
    current_deadline: null,
    currently_due: due,
    disabled_reason: due.length > 0 ? "requirements.past_due" : null,
    errors: [],
    eventually_due: due,
    past_due: due,
    pending_verification: [],
  };
}

const LINK_SECS = 300;

/** The path of the hosted page of a link. */
export const ONBOARDING_PATH = "/connect/setup/";

export function createAccountLink(scope: Scope): Stripe.AccountLink {
  const given = readParams(scope.params, {
    account: text,
    type: text,
    refresh_url: text,
    return_url: text,
    collect: text,
  });
  const account = find(scope, "account", required(given.account, "account"), "account");
  if (given.type !== "account_onboarding" && given.type !== "account_update") {
    throw invalid(`Invalid type: must be one of account_onboarding or account_update.`, {
      param: "type",
    });
  }
  const id = newId("link");
  scope.work.put({
    object: "connect_record",
    id,
    account: account.id,
    returnUrl: required(given.return_url, "return_url"),
    refreshUrl: required(given.refresh_url, "refresh_url"),
    expiresAt: scope.now + LINK_SECS,
  });
  return {
    object: "account_link",
    created: scope.now,
    expires_at: scope.now + LINK_SECS,
    url: `${scope.origin}${ONBOARDING_PATH}${id}`,
  };
}
