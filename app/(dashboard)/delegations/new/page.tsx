import type { DelegationSummary } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { copiedTexts } from "@/components/budgets/copied-budgets.ts";
import { DelegationForm } from "@/components/delegations/delegation-form.tsx";
import { nameOf, unitOf } from "@/components/delegations/delegation-text.ts";
import {
  ACCOUNT,
  type BindablePlan,
  type DelegationValues,
} from "@/components/delegations/delegation-values.ts";
import { USUAL_LIMITS } from "@/components/delegations/read-limits.ts";
import { firstCard, NEW_CARD } from "@/components/payment-methods/card-text.ts";
import type { Searched } from "@/components/search-params.ts";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { typedAmount } from "@/components/ui/values/money-text.ts";
import { minorDigits } from "@/lib/console/minor-units.ts";
import { getRunning } from "@/lib/server/running.ts";
import { DAY_SECS } from "@/lib/text/durations.ts";
import { addPaymentMethod, finishPaymentMethod } from "../../payment-methods/actions.ts";
import {
  createDelegation,
  renewDelegation,
  revokeDelegation,
  submitGrantSignature,
} from "../actions.ts";
import { readOwnPlans } from "../read-plans.ts";

export const metadata = { title: "New delegation" };

export default async function NewDelegationPage({
  searchParams,
}: Searched<{ from?: string; plan?: string; renews?: string }>) {
  const { from, plan, renews } = await searchParams;
  const { account } = await requireSession();
  const { env, ports, cards: processor } = await getRunning();
  const [cards, now, earlier, budgets] = await Promise.all([
    read("listPaymentMethods", {}),
    ports.clock.now(),
    from ? read("getDelegation", { delegationId: from }) : null,
    from ? read("getDelegationBudgets", { delegationId: from }) : null,
  ]);
  const plans = await readOwnPlans(earlier?.planIds ?? (plan ? [plan] : []));
  const same = cards.find(({ id }) => id === earlier?.providerPaymentMethodId);
  const card = (same ?? firstCard(cards, now.toISOString()))?.id ?? NEW_CARD;
  const first = earlier
    ? valuesOf(earlier, card)
    : {
        ...firstValues(plan, plans, processor ? card : ACCOUNT),
        ...(renews && { durationSecs: 365 * DAY_SECS }),
      };
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
          first={first}
          renews={
            earlier && {
              name: nameOf(earlier),
              budgets: budgets ? copiedTexts({ ...budgets, currency: unitOf(earlier) }) : [],
            }
          }
          next={plan && renews ? `/subscriptions/${plan}#renewal` : undefined}
          now={now.toISOString()}
          actions={{
            createDelegation: from ? renewDelegation.bind(null, from) : createDelegation,
            submitGrantSignature,
            revokeGrant: revokeDelegation,
            addPaymentMethod,
            finishPaymentMethod,
          }}
        />
      </div>
    </>
  );
}

/** A delegation of this plan where the address names one: paid the way the plan is, in its currency. */
function firstValues(
  planId: string | undefined,
  plans: BindablePlan[],
  card: string,
): DelegationValues {
  const plan = plans.find((each) => each.planId === planId);
  const currency = plan?.currency ?? "usd";
  const digits = minorDigits(currency);
  const [, usual] = USUAL_LIMITS;
  const cost = BigInt(plan?.topUpCents ?? "0");
  return {
    name: "",
    limit: typedAmount(cost > usual ? cost : usual, digits),
    durationSecs: 7 * DAY_SECS,
    maxTransactions: "",
    backing: plan?.isCard ? card : ACCOUNT,
    currency,
    planIds: planId ? [planId] : [],
  };
}

/** The same limits again, for a delegation that replaces this one. `card` takes the place of one that was removed. */
const valuesOf = (earlier: DelegationSummary, card: string): DelegationValues => ({
  name: earlier.name ?? "",
  limit: typedAmount(earlier.spendingLimitCents, minorDigits(earlier.currency)),
  durationSecs: Math.round((Date.parse(earlier.expiresAt) - Date.parse(earlier.createdAt)) / 1_000),
  maxTransactions: earlier.maxTransactions?.toString() ?? "",
  backing: earlier.provider === "card-processor" ? card : ACCOUNT,
  currency: earlier.currency,
  planIds: earlier.planIds,
});
