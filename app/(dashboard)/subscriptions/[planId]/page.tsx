import Link from "next/link";
import { notFound } from "next/navigation";
import { read } from "@/app/_session/operations.ts";
import { QueryProvider } from "@/components/data/query-provider.tsx";
import { DelegationMeter } from "@/components/delegations/delegation-meter.tsx";
import { isLive, nameOf } from "@/components/delegations/delegation-text.ts";
import { LiveBalance } from "@/components/subscriptions/live-balance.tsx";
import { OrderTable } from "@/components/subscriptions/order-table.tsx";
import { UsageChart } from "@/components/subscriptions/usage-chart.tsx";
import { TokenTable } from "@/components/tokens/token-table.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Card } from "@/components/ui/card.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { PageHeader, Section } from "@/components/ui/page-header.tsx";
import { StatePill } from "@/components/ui/values/state-pill.tsx";
import { FigureRange } from "@/lib/console/figures.ts";
import { getRunning } from "@/lib/server/running.ts";
import { revokeToken } from "../../tokens/actions.ts";

export const metadata = { title: "Subscription" };

const MOST = 10;
const MOST_DELEGATIONS = 4;

type SubscriptionPageProps = {
  params: Promise<{ planId: string }>;
  searchParams: Promise<{ range?: string }>;
};

export default async function SubscriptionPage({ params, searchParams }: SubscriptionPageProps) {
  const [{ planId }, { range }] = await Promise.all([params, searchParams]);
  const asked = FigureRange.safeParse(range);
  const { ports } = await getRunning();
  const [subscriptions, orders, tokens, delegations, series, at] = await Promise.all([
    read("listSubscriptions", { planId, limit: 1 }),
    read("listOrders", { planId, limit: MOST }),
    read("listTokens", { planId, limit: MOST }),
    read("listDelegations", { limit: 100 }),
    read("getActivitySeries", {
      role: "subscriber",
      planId,
      range: asked.success ? asked.data : "7d",
    }),
    ports.clock.now(),
  ]);
  const [subscription] = subscriptions.items;
  if (!subscription) return notFound();
  const now = at.toISOString();
  const drains = new Set(tokens.items.map(({ delegationId }) => delegationId));
  const draining = delegations.items.filter(
    (each) => isLive(each) && (each.planIds.includes(planId) || drains.has(each.delegationId)),
  );
  const name = subscription.planName;
  return (
    <>
      <PageHeader
        title={name}
        aside={
          subscription.isActive ? <StatePill state="Active" /> : <StatePill state="Exhausted" />
        }
        actions={
          <>
            <ButtonLink href={`/checkout/${planId}`}>
              {subscription.isTrial ? "See the plan" : "Buy credits"}
            </ButtonLink>
            <ButtonLink look="primary" href={`/tokens/new?plan=${planId}`}>
              Mint access token
            </ButtonLink>
          </>
        }
      >
        What you have of this plan, and what uses it.
      </PageHeader>
      <QueryProvider>
        <LiveBalance subscription={subscription} now={now} />
      </QueryProvider>
      <div className="mt-8">
        <UsageChart series={series} path={`/subscriptions/${planId}`} />
      </div>
      <Section
        id="tokens"
        title="Access tokens"
        meta={
          tokens.total > MOST && (
            <Link className="link" href={`/tokens?plan=${planId}`}>
              All {tokens.total}
            </Link>
          )
        }
      >
        <TokenTable
          tokens={tokens.items}
          now={now}
          revokeToken={revokeToken}
          empty={
            <Empty kind="first" title="No token uses it">
              Mint one, and an agent lets calls in that carry it.
            </Empty>
          }
        />
      </Section>
      <Section
        id="delegations"
        title="Delegations that can top it up"
        meta={
          draining.length > MOST_DELEGATIONS && (
            <Link className="link" href="/delegations?show=active">
              All {draining.length}
            </Link>
          )
        }
      >
        {draining.length === 0 ? (
          <p className="text-ink-2">None. When the credits are used up, calls are refused.</p>
        ) : (
          <ul className="grid gap-3 lg:grid-cols-2">
            {draining.slice(0, MOST_DELEGATIONS).map((each) => (
              <li key={each.delegationId}>
                <Card className="grid gap-3 p-4">
                  <Link
                    href={`/delegations/${each.delegationId}`}
                    className="link wrap-anywhere w-fit text-h3"
                  >
                    {nameOf(each)}
                  </Link>
                  <DelegationMeter delegation={each} now={now} />
                </Card>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section id="orders" title="Orders">
        <OrderTable
          orders={orders.items}
          empty={<Empty kind="first" title="No orders" />}
          foot={`${orders.items.length} of ${orders.total}, newest first`}
        />
      </Section>
    </>
  );
}
