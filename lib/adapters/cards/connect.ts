import type { Environment } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { PayoutProcessor } from "@/lib/domain/money/payout-ports.ts";
import { answering } from "./answering.ts";

/** Builders' connected accounts: opened here, filled in on the processor's own page. */
export function createConnect({
  stripe,
  environment,
}: {
  stripe: Stripe;
  environment: Environment;
}): Pick<PayoutProcessor, "openAccount" | "onboardingUrl" | "readAccount"> {
  return {
    openAccount: (account) =>
      answering(async () => {
        const { id } = await stripe.accounts.create(
          {
            type: "express",
            capabilities: { transfers: { requested: true } },
            settings: { payouts: { schedule: { interval: "manual" } } },
            metadata: { account, environment },
          },
          { idempotencyKey: `acct_${environment}_${account}` },
        );
        return id;
      }),
    onboardingUrl: (processorAccount, returnUrl) =>
      answering(async () => {
        const { url } = await stripe.accountLinks.create({
          account: processorAccount,
          type: "account_onboarding",
          return_url: returnUrl,
          refresh_url: returnUrl,
        });
        return url;
      }),
    readAccount: (processorAccount) =>
      answering(async () => statusOf(await stripe.accounts.retrieve(processorAccount))),
  };
}

function statusOf(account: Stripe.Account): Awaited<ReturnType<PayoutProcessor["readAccount"]>> {
  const { details_submitted: isSubmitted, payouts_enabled: isEnabled, requirements } = account;
  const missing = [...(requirements?.past_due ?? []), ...(requirements?.currently_due ?? [])];
  return {
    status: isEnabled ? "active" : isSubmitted ? "restricted" : "onboarding",
    missing: [...new Set(missing)],
  };
}
