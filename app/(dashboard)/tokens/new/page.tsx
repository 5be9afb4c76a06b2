import { notFound, redirect } from "next/navigation";
import { read, readPublic } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { prepareGrant, revokeGrant, submitGrantSignature } from "@/app/checkout/actions.ts";
import { SalesNotice } from "@/app/checkout/sales-notice.tsx";
import { priceOf } from "@/components/checkout/plan-price.ts";
import { coversPlan } from "@/components/delegations/delegation-text.ts";
import { ArchivedNotice } from "@/components/plans/archived-notice.tsx";
import type { Searched } from "@/components/search-params.ts";
import { actionOf, endedText } from "@/components/subscriptions/subscription-text.ts";
import { withDistinctNames } from "@/components/subscriptions/with-distinct-names.ts";
import { mintAgents } from "@/components/tokens/mint-agents.ts";
import { MintForm } from "@/components/tokens/mint-form.tsx";
import { offeredDelegations } from "@/components/tokens/offered-delegations.ts";
import { PlanChoice } from "@/components/tokens/plan-choice.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { readAllDelegations } from "../../delegations/read-backing.ts";
import { addPaymentMethod, finishPaymentMethod } from "../../payment-methods/actions.ts";
import { mintToken } from "../actions.ts";

export const metadata = { title: "Mint access token" };

type Search = { [name in "plan" | "agent" | "delegation" | "calls" | "life"]?: string };

export default async function NewTokenPage({ searchParams }: Searched<Search>) {
  const { plan: planId, agent, delegation, calls, life } = await searchParams;
  if (!planId) return <Choose />;
  const { account } = await requireSession();
  const { env, ports, chain, cards: processor } = await getRunning();
  const plan = await readPublic("getPlan", { planId });
  if (!plan) notFound();
  const price = priceOf(plan, chain.deployment.usdc);
  const [now, agents, subscriptions, delegations, cards] = await Promise.all([
    ports.clock.now(),
    readPublic("getPlanAgents", { planId, limit: 50 }),
    read("listSubscriptions", { planId, limit: 1 }),
    readAllDelegations(),
    price.isCard ? read("listPaymentMethods", {}) : [],
  ]);
  const [subscription] = subscriptions.items;
  const name = plan.metadata.main.name;
  return (
    <>
      <PageHeader title="Mint access token">
        Calls that carry this token are charged to “{name}”.
      </PageHeader>
      <div className="grid max-w-180 gap-5">
        {!price.isFree && <SalesNotice />}
        {plan.archivedAt && <ArchivedNotice />}
        {!plan.archivedAt && !subscription?.isActive && (
          <Notice
            tone="info"
            title={
              subscription ? endedText(subscription, name) : "You haven’t ordered this plan yet."
            }
            action={
              <ButtonLink href={`/checkout/${planId}`}>
                {subscription ? actionOf(subscription) : "Order plan"}
              </ButtonLink>
            }
          >
            {plan.metadata.plan.isTrialPlan
              ? "Calls don’t order trial plans."
              : "You don’t need to buy first: the first call orders the plan, within the limits below."}
          </Notice>
        )}
        <MintForm
          planId={planId}
          planName={name}
          isFree={price.isFree}
          isCard={price.isCard}
          costCents={price.cents?.toString() ?? null}
          token={price.cents === null && !price.isFree ? price : null}
          currency={price.limitCurrency}
          agents={mintAgents(agents?.items ?? [])}
          firstAgent={agent}
          delegations={offeredDelegations(
            delegations.filter(
              (each) =>
                coversPlan(each, { planId, isCard: price.isCard }) &&
                (price.isFree || each.currency === price.limitCurrency),
            ),
            delegation,
          )}
          firstDelegation={delegation}
          firstCalls={calls}
          firstLifeSecs={life}
          cards={cards}
          hasTestCards={env.environment === "sandbox" && processor?.stop !== undefined}
          isOwnWallet={account.ownerKey === null}
          isSandbox={env.environment === "sandbox"}
          now={now.toISOString()}
          actions={ACTIONS}
        />
      </div>
    </>
  );
}

const ACTIONS = {
  mintToken,
  addPaymentMethod,
  finishPaymentMethod,
  prepareGrant,
  submitGrantSignature,
  revokeGrant,
};

/** The choice of a plan; with a single active one it is made. */
async function Choose() {
  const { items } = await read("listSubscriptions", { limit: 100 });
  const [only, ...others] = items.filter(({ isActive }) => isActive);
  if (only && others.length === 0) redirect(`/tokens/new?plan=${only.planId}`);
  return (
    <>
      <PageHeader title="Mint access token">
        Choose the plan that pays for the token’s calls.
      </PageHeader>
      {items.length === 0 ? (
        <NothingYet title="You haven’t ordered a plan yet" action="Explore plans" href="/explore">
          Order a plan first. Your token’s calls use its credits.
        </NothingYet>
      ) : (
        <PlanChoice subscriptions={withDistinctNames(items)} />
      )}
    </>
  );
}
