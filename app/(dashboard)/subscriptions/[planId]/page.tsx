import type { DelegationSummary } from "@turnpike/payments/protocol";
import { notFound } from "next/navigation";
import { read, readPublic } from "@/app/_session/operations.ts";
import { priceOf } from "@/components/checkout/plan-price.ts";
import { QueryProvider } from "@/components/data/query-provider.tsx";
import { DelegationMeter } from "@/components/delegations/delegation-meter.tsx";
import { canTopUp, nameOf } from "@/components/delegations/delegation-text.ts";
import { ArchivedNotice } from "@/components/plans/archived-notice.tsx";
import type { Routed, Searched } from "@/components/search-params.ts";
import { Visited } from "@/components/shell/visited.tsx";
import { LiveBalance } from "@/components/subscriptions/live-balance.tsx";
import { AccessOrderTable, OrderTable } from "@/components/subscriptions/order-table.tsx";
import {
  buyText,
  daysUsedIn,
  stateOf,
  whenOver,
} from "@/components/subscriptions/subscription-text.ts";
import { UsageChart } from "@/components/subscriptions/usage-chart.tsx";
import { TokenTable } from "@/components/tokens/token-table.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Card } from "@/components/ui/card.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { NearLink } from "@/components/ui/links/near-link.tsx";
import { PageHeader, Section } from "@/components/ui/page-header.tsx";
import { TextLink } from "@/components/ui/text-link.tsx";
import { StatePill } from "@/components/ui/values/state-pill.tsx";
import { FigureRange } from "@/lib/console/figures.ts";
import { getRunning } from "@/lib/server/running.ts";
import { shownOf } from "@/lib/text/plural.ts";
import { readAllDelegations } from "../../delegations/read-backing.ts";
import { revokeToken } from "../../tokens/actions.ts";
import { PlanRenewal } from "../plan-renewal.tsx";

export const metadata = { title: "Subscription" };

const MAX_ROWS = 10;
const MAX_DELEGATIONS = 4;

type SubscriptionPageProps = Routed<"planId"> & Searched<{ range?: string }>;

export default async function SubscriptionPage({ params, searchParams }: SubscriptionPageProps) {
  const [{ planId }, asked] = await Promise.all([params, searchParams]);
  const range = FigureRange.safeParse(asked.range).data ?? "7d";
  const { ports, chain } = await getRunning();
  const [plan, subscriptions, orders, tokens, delegations, series, month, at] = await Promise.all([
    readPublic("getPlan", { planId }),
    read("listSubscriptions", { planId, limit: 1 }),
    read("listOrders", { planId, limit: MAX_ROWS }),
    read("listTokens", { planId, limit: MAX_ROWS }),
    readAllDelegations(),
    read("getActivitySeries", { role: "subscriber", planId, range }),
    read("getActivitySeries", { role: "subscriber", planId, range: "30d" }),
    ports.clock.now(),
  ]);
  const [subscription] = subscriptions.items;
  if (!subscription) return notFound();
  const now = at.toISOString();
  const price = plan && priceOf(plan, chain.deployment.usdc);
  const toppedUp = { planId, price, tokens: tokens.items };
  const Orders = subscription.accessLimit === "time" ? AccessOrderTable : OrderTable;
  const isArchived = plan?.archivedAt !== undefined;
  const isToppedUp = !isArchived && !subscription.isTrial;
  const toppingUp = isToppedUp ? delegations.filter((each) => canTopUp(each, toppedUp)) : [];
  return (
    <>
      <Visited href={`/subscriptions/${planId}`} name={subscription.planName} kind="Subscription" />
      <PageHeader
        title={subscription.planName}
        aside={<StatePill state={stateOf(subscription, now)} />}
        actions={
          <>
            {!isArchived && (
              <ButtonLink href={`/checkout/${planId}`}>
                {subscription.isTrial ? "View plan" : buyText(subscription)}
              </ButtonLink>
            )}
            <ButtonLink look="primary" href={`/tokens/new?plan=${planId}`}>
              Mint access token
            </ButtonLink>
          </>
        }
      >
        {subscription.accessLimit === "time" ? "Your access" : "Your remaining credits"}, and the
        tokens and delegations that use {subscription.accessLimit === "time" ? "it" : "them"}.
      </PageHeader>
      {isArchived && <ArchivedNotice className="mb-6" />}
      <QueryProvider>
        <LiveBalance subscription={subscription} now={now} daysUsed={daysUsedIn(month)} />
      </QueryProvider>
      {plan && <PlanRenewal plan={plan} />}
      <div className="mt-8">
        <UsageChart series={series} path={`/subscriptions/${planId}`} />
      </div>
      <Section
        id="tokens"
        title="Access tokens"
        meta={
          tokens.total > MAX_ROWS && (
            <TextLink href={`/tokens?plan=${planId}`}>All {tokens.total}</TextLink>
          )
        }
      >
        <TokenTable
          tokens={tokens.items}
          revokeToken={revokeToken}
          empty={
            <Empty kind="first" title="No access tokens yet">
              Agents accept calls that carry an access token.
            </Empty>
          }
        />
      </Section>
      <TopUps delegations={toppingUp} whenOver={whenOver(subscription.accessLimit)} now={now} />
      <Section id="orders" title="Orders">
        <Orders
          rows={orders.items}
          empty={<Empty kind="first" title="No orders yet" />}
          foot={shownOf(orders.items.length, orders.total, "order")}
        />
      </Section>
    </>
  );
}

type TopUpsProps = { delegations: DelegationSummary[]; whenOver: string; now: string };

/** The delegations that can order the plan again when its credits or its time have run out. */
function TopUps({ delegations, whenOver, now }: TopUpsProps) {
  return (
    <Section
      id="delegations"
      title="Delegations for top-ups"
      meta={
        delegations.length > MAX_DELEGATIONS && (
          <TextLink href="/delegations?show=active">All {delegations.length}</TextLink>
        )
      }
    >
      {delegations.length === 0 ? (
        <p className="text-ink-2">None. Calls are declined {whenOver}.</p>
      ) : (
        <ul className="grid gap-3 lg:grid-cols-2">
          {delegations.slice(0, MAX_DELEGATIONS).map((each) => (
            <li key={each.delegationId}>
              <Card className="grid gap-3 p-4">
                <NearLink
                  href={`/delegations/${each.delegationId}`}
                  className="link wrap-anywhere w-fit text-h3"
                >
                  {nameOf(each)}
                </NearLink>
                <DelegationMeter delegation={each} now={now} />
              </Card>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
