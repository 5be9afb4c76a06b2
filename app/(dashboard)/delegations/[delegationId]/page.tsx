import type { DelegationSummary } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import { BudgetMeters } from "@/components/budgets/budget-meters.tsx";
import { BudgetsForm } from "@/components/budgets/budgets-form.tsx";
import { DelegationDetails } from "@/components/delegations/delegation-details.tsx";
import { DelegationMeter } from "@/components/delegations/delegation-meter.tsx";
import { DelegationStatePill } from "@/components/delegations/delegation-state-pill.tsx";
import {
  endText,
  isLive,
  isStopped,
  nameOf,
  unitOf,
} from "@/components/delegations/delegation-text.ts";
import { simulatedPlans } from "@/components/delegations/delegation-values.ts";
import { RevokeDelegationButton } from "@/components/delegations/revoke-delegation.tsx";
import { SignDelegation } from "@/components/delegations/sign-delegation.tsx";
import { SpendSimulator } from "@/components/delegations/spend-simulator.tsx";
import type { Routed } from "@/components/search-params.ts";
import { Visited } from "@/components/shell/visited.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Card } from "@/components/ui/card.tsx";
import { MeterLegend } from "@/components/ui/data/meter.tsx";
import { PageHeader, Section } from "@/components/ui/page-header.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { revokeDelegation, setDelegationBudgets, submitGrantSignature } from "../actions.ts";
import { describeDelegations } from "../read-backing.ts";
import { readOwnPlans } from "../read-plans.ts";

export const metadata = { title: "Delegation" };

export default async function DelegationPage({ params }: Routed<"delegationId">) {
  const { delegationId } = await params;
  const { ports } = await getRunning();
  const delegation = await read("getDelegation", { delegationId });
  const [[described], plans, now, grant] = await Promise.all([
    describeDelegations([delegation]),
    readOwnPlans(delegation.planIds),
    ports.clock.now(),
    delegation.status === "AwaitingSignature" ? read("getGrant", { delegationId }) : null,
  ]);
  const isCard = delegation.provider === "card-processor";
  const fitting = plans.filter(
    (plan) =>
      plan.isCard === isCard &&
      (delegation.planIds.length === 0 || delegation.planIds.includes(plan.planId)),
  );
  const at = now.toISOString();
  const visit = { href: `/delegations/${delegationId}`, name: nameOf(delegation) };
  return (
    <>
      <Visited {...visit} kind="Delegation" />
      <PageHeader
        title={nameOf(delegation)}
        aside={<DelegationStatePill delegation={delegation} />}
        actions={
          <>
            {isLive(delegation) && (
              <RevokeDelegationButton delegation={delegation} revokeDelegation={revokeDelegation} />
            )}
            <ButtonLink href={`/delegations/new?from=${delegationId}`}>Renew</ButtonLink>
            {delegation.status === "Active" && fitting[0] && (
              <ButtonLink
                look="primary"
                href={`/tokens/new?plan=${fitting[0].planId}&delegation=${delegationId}`}
              >
                Mint access token
              </ButtonLink>
            )}
          </>
        }
      >
        {described?.backedBy}, for{" "}
        {described?.covers === "Any plan" ? "any plan" : described?.covers}. {endText(delegation)}
      </PageHeader>
      {grant && (
        <div className="mb-6">
          <SignDelegation grant={grant} submitGrantSignature={submitGrantSignature} />
        </div>
      )}
      <Card className="grid gap-4">
        {!isStopped(delegation) && delegation.spendingLimitCents > 0n && <MeterLegend />}
        <DelegationMeter delegation={delegation} now={at} />
      </Card>
      <Section id="lines" title="Spending and tokens">
        <DelegationDetails delegation={delegation} now={at} headingLevel="h3" />
      </Section>
      <BudgetSection delegation={delegation} />
      {isLive(delegation) && (
        <Section id="simulate" title="How long will this last?">
          <div className="max-w-180">
            <SpendSimulator
              plans={simulatedPlans(fitting)}
              currency={unitOf(delegation)}
              now={at}
              limits={{
                leftCents: BigInt(delegation.remainingBudgetCents),
                chargesLeft:
                  delegation.maxTransactions === undefined
                    ? null
                    : BigInt(delegation.maxTransactions - delegation.transactionCount),
                leftSecs: (Date.parse(delegation.expiresAt) - now.getTime()) / 1_000,
              }}
            />
          </div>
        </Section>
      )}
    </>
  );
}

async function BudgetSection({ delegation }: { delegation: DelegationSummary }) {
  const { delegationId } = delegation;
  const counted = await read("getDelegationBudgets", { delegationId });
  // Budgets count stablecoins in the currency they are at par with; the page names what is paid.
  const budgets = { ...counted, currency: unitOf(delegation) };
  return (
    <Section id="budgets" title="Budgets">
      <div className="grid max-w-180 gap-6">
        <BudgetMeters budgets={budgets} />
        {isLive(delegation) && (
          <BudgetsForm
            budgets={budgets}
            saveBudgets={setDelegationBudgets.bind(null, delegationId)}
          />
        )}
      </div>
    </Section>
  );
}
