import type { DelegationSummary } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { DelegationForm } from "@/components/delegations/delegation-form.tsx";
import { nameOf } from "@/components/delegations/delegation-text.ts";
import { ACCOUNT, type DelegationValues } from "@/components/delegations/delegation-values.ts";
import type { Searched } from "@/components/search-params.ts";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { typedAmount } from "@/components/ui/values/money-text.ts";
import { minorDigits } from "@/lib/console/minor-units.ts";
import { getRunning } from "@/lib/server/running.ts";
import { DAY_SECS } from "@/lib/text/durations.ts";
import { addPaymentMethod, finishPaymentMethod } from "../../payment-methods/actions.ts";
import { createDelegation, submitGrantSignature } from "../actions.ts";
import { readOwnPlans } from "../read-plans.ts";

export const metadata = { title: "New delegation" };

export default async function NewDelegationPage({
  searchParams,
}: Searched<{ from?: string; plan?: string }>) {
  const { from, plan } = await searchParams;
  const { account } = await requireSession();
  const { env, ports, cards: processor } = await getRunning();
  const [cards, plans, now, earlier] = await Promise.all([
    read("listPaymentMethods", {}),
    readOwnPlans(),
    ports.clock.now(),
    from ? read("getDelegation", { delegationId: from }) : null,
  ]);
  const isSandbox = env.environment === "sandbox";
  return (
    <>
      <PageHeader title={earlier ? `Renew “${nameOf(earlier)}”` : "New delegation"}>
        A spending limit for your agents. You can revoke it at any time.
      </PageHeader>
      <div className="max-w-180">
        <DelegationForm
          account={account.address}
          cards={cards}
          takesCards={processor !== null}
          hasTestCards={isSandbox && processor?.stop !== undefined}
          plans={plans}
          first={earlier ? valuesOf(earlier) : { ...USUAL, planIds: plan ? [plan] : [] }}
          renews={earlier ? nameOf(earlier) : undefined}
          now={now.toISOString()}
          actions={{
            createDelegation,
            submitGrantSignature,
            addPaymentMethod,
            finishPaymentMethod,
          }}
        />
      </div>
    </>
  );
}

const USUAL: DelegationValues = {
  name: "",
  limit: "20.00",
  durationSecs: 7 * DAY_SECS,
  maxTransactions: "",
  backing: ACCOUNT,
  currency: "usd",
  planIds: [],
};

/** The same limits again, for a delegation that replaces this one. */
const valuesOf = (earlier: DelegationSummary): DelegationValues => ({
  name: earlier.name ?? "",
  limit: typedAmount(earlier.spendingLimitCents, minorDigits(earlier.currency)),
  durationSecs: Math.round((Date.parse(earlier.expiresAt) - Date.parse(earlier.createdAt)) / 1_000),
  maxTransactions: earlier.maxTransactions?.toString() ?? "",
  backing: earlier.providerPaymentMethodId ?? ACCOUNT,
  currency: earlier.currency,
  planIds: earlier.planIds,
});
