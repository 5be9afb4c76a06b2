import { PaymentsError } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { PayoutAccountState, PayoutProcessor } from "@/lib/domain/money/payout-ports.ts";
import { answering } from "../answering.ts";
import type { CardParts } from "../card-parts.ts";
import { createSendOnce, isWithoutAccess } from "../send-once.ts";

/** Builders' connected accounts: opened here, filled in on the processor's own page. */
export function createConnect({
  stripe,
  environment,
}: Pick<CardParts, "stripe" | "environment">): Pick<
  PayoutProcessor,
  "openAccount" | "onboardingUrl" | "readAccount"
> {
  const sendOnce = createSendOnce();
  return {
    openAccount: (account, instead) =>
      orUnavailable(async () => {
        const terms: Stripe.AccountCreateParams = {
          type: "express",
          // Transfers alone need an approval that few platforms have.
          capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
          settings: { payouts: { schedule: { interval: "manual" } } },
          metadata: { account, environment },
        };
        const { id } = await sendOnce(
          `acct_${environment}_${account}${instead ? `_${instead}` : ""}`,
          (idempotencyKey) => stripe.accounts.create(terms, { idempotencyKey }),
          // A second one stays empty: the ledger notes one.
          { find: async () => null },
        );
        return id;
      }),
    onboardingUrl: (processorAccount, returnUrl) =>
      orUnavailable(async () => {
        const { url } = await stripe.accountLinks.create({
          account: processorAccount,
          type: "account_onboarding",
          return_url: returnUrl,
          refresh_url: returnUrl,
        });
        return url;
      }),
    readAccount: (processorAccount) =>
      answering(async () => {
        const found = await stripe.accounts.retrieve(processorAccount).catch((cause) => {
          if (isWithoutAccess(cause)) return null;
          throw cause;
        });
        return found ? statusOf(found) : CLOSED;
      }),
  };
}

/** A builder enters nothing here: what the processor does not accept is the operator's to set right, who reads the cause. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await answering(work);
  } catch (cause) {
    if (!PaymentsError.is(cause) || cause.code !== "invalid_input") throw cause;
    throw new PaymentsError(
      "rail_unavailable",
      "Payouts of card sales are not available on this service yet. Nothing changed.",
      {
        hint: "The service's operators were notified. Any money owed to you stays yours; set up payouts later.",
        cause: cause.message,
      },
    );
  }
}

const CLOSED: PayoutAccountState = {
  status: "onboarding",
  missing: [],
  currencies: null,
  isClosed: true,
};

function statusOf(account: Stripe.Account): PayoutAccountState {
  const { details_submitted: isSubmitted, payouts_enabled: isEnabled, requirements } = account;
  const { external_accounts: banks, default_currency: home } = account;
  const missing = [...(requirements?.past_due ?? []), ...(requirements?.currently_due ?? [])];
  return {
    status: isEnabled ? "active" : isSubmitted ? "restricted" : "onboarding",
    missing: [...new Set(missing)],
    ...(requirements?.disabled_reason &&
      missing.length === 0 && { disabledReason: requirements.disabled_reason }),
    currencies: banks ? [...banks.data.map(({ currency }) => currency ?? ""), home ?? ""] : null,
  };
}
