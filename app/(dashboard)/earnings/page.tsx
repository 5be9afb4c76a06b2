import { read } from "@/app/_session/operations.ts";
import { RangeLinks } from "@/components/activity/range-links.tsx";
import { BUCKET_WORDS, RANGE_WORDS, sinceText } from "@/components/activity/series-points.ts";
import { TestCallsLink } from "@/components/activity/test-calls-link.tsx";
import { AgentTable, PlanTable, SubscriberTable } from "@/components/earnings/earning-tables.tsx";
import { FunnelBars } from "@/components/earnings/funnel-bars.tsx";
import {
  netAmount,
  netLines,
  owedFigure,
  partPoints,
  previousNote,
  soldPoints,
  soldSeries,
} from "@/components/earnings/money-points.ts";
import type { Searched } from "@/components/search-params.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Chart } from "@/components/ui/data/chart.tsx";
import { type Figure, Figures } from "@/components/ui/data/figures.tsx";
import { DownloadCsv } from "@/components/ui/download-csv.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader, Section } from "@/components/ui/page-header.tsx";
import { changeNote } from "@/components/ui/values/change-note.ts";
import { currencyCode, exactMoney } from "@/components/ui/values/currency-money.ts";
import { groupDigits } from "@/components/ui/values/money-text.ts";
import type { Earnings } from "@/lib/console/figures.ts";
import { plural } from "@/lib/text/plural.ts";
import { attempt } from "../home/attempt.ts";
import { type EarningsView, earningsHref, leftOutText, readEarningsView } from "./earnings-view.ts";

export const metadata = { title: "Earnings" };

export default async function EarningsPage({ searchParams }: Searched) {
  const view = readEarningsView(await searchParams);
  const { range, includeTest } = view;
  const earnings = await read("getEarnings", { range, includeTest });
  const [funnel, plans] = await Promise.all([
    attempt("funnel", read("getFunnel", { range, includeTest })),
    read("listPlans", { limit: 1 }),
  ]);
  const isFirst = plans.items.length === 0;
  const isQuiet =
    earnings.totals.every(({ orders }) => orders === 0) &&
    earnings.requestsSettled.count === 0 &&
    funnel?.challenged === 0 &&
    funnel.verified === 0;
  return (
    <>
      <PageHeader
        title="Earnings"
        actions={!isFirst && <DownloadCsv href={earningsHref(view, {}, "/earnings/export")} />}
      >
        What your plans sold and your agents earned {sinceText(earnings.since)}. A refund counts on
        the day of its sale; statements list it on its own day. {leftOutText(view)}
      </PageHeader>
      {isFirst ? (
        <NothingYet title="No earnings yet" action="New plan" href="/plans/new" example="/">
          Create a plan to see sales by plan, agent and currency.
        </NothingYet>
      ) : (
        <>
          <Choices view={view} />
          <h2 className="sr-only">Figures</h2>
          <Figures figures={figuresOf(earnings)} />
          {isQuiet ? (
            <Quiet range={range} />
          ) : (
            <>
              <div className="mt-8">
                <OverTime view={view} earnings={earnings} />
              </div>
              <Section id="plans" title="By plan">
                <PlanTable rows={earnings.plans} />
              </Section>
              <Section id="agents" title="By agent">
                <AgentTable rows={earnings.agents} />
              </Section>
              {funnel && (
                <Section
                  id="funnel"
                  title="Conversion"
                  meta={includeTest ? "Includes test calls" : "Excludes test calls"}
                >
                  <FunnelBars funnel={funnel} />
                </Section>
              )}
            </>
          )}
          {(!isQuiet || earnings.subscribers.length > 0) && (
            <Section id="subscribers" title="Top subscribers" meta="By credits used, all time">
              <SubscriberTable rows={earnings.subscribers} />
            </Section>
          )}
        </>
      )}
    </>
  );
}

/** In place of a chart and tables of zeros. */
const Quiet = ({ range }: Pick<EarningsView, "range">) => (
  <div className="mt-8">
    <Empty
      kind="first"
      headingLevel={2}
      title={`No sales or calls in the last ${RANGE_WORDS[range]}`}
      actions={<ButtonLink href="/plans">View plans</ButtonLink>}
    >
      Share a plan’s public page to get orders.
    </Empty>
  </div>
);

function Choices({ view }: { view: EarningsView }) {
  const { range, includeTest } = view;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
      <RangeLinks range={range} hrefOf={(one) => earningsHref(view, { range: one })} />
      <TestCallsLink
        areShown={includeTest}
        href={earningsHref(view, { includeTest: !includeTest })}
      />
    </div>
  );
}

function figuresOf(earnings: Earnings): Figure[] {
  const { totals, orders, creditsSettled, requestsSettled } = earnings;
  const when = "in the previous period";
  const refunds = totals.reduce((sum, one) => sum + one.refunds, 0);
  return [
    {
      label: "Sold, after refunds",
      value: netLines(totals),
      note: noteOf(
        refunds > 0 ? `${plural(refunds, "order")} refunded` : undefined,
        previousNote(totals, when),
      ),
    },
    { label: "Owed to you", ...owedFigure(earnings) },
    {
      label: "Paid orders",
      value: groupDigits(orders.count),
      note: noteOf(
        orders.plans > 0 ? `From ${plural(orders.plans, "plan")}` : undefined,
        changeNote({ amount: orders.count, previous: orders.previous }, when),
      ),
    },
    {
      label: "Credits earned",
      value: groupDigits(creditsSettled.amount),
      note: noteOf(plural(requestsSettled.count, "settled call"), changeNote(creditsSettled, when)),
    },
  ];
}

const noteOf = (...parts: (string | undefined)[]) => parts.filter(Boolean).join("; ") || undefined;

const soldText = (total: Earnings["totals"][number]) =>
  `${exactMoney(total)} sold${total.refunds > 0 ? ", before refunds" : ""}`;

/** Money in one currency, or settled calls by plan or agent, over time. */
function OverTime({ view, earnings }: { view: EarningsView; earnings: Earnings }) {
  const { chart, range } = view;
  const pointName = BUCKET_WORDS[range];
  const currencies = earnings.totals.map(({ currency }) => currency);
  // What was refunded whole is not what the chart begins with.
  const kept = earnings.totals.find((one) => netAmount(one) !== "0")?.currency;
  const currency =
    currencies.find((one) => one === view.currency) ?? kept ?? currencies[0] ?? "usd";
  const links = [
    ...(currencies.length > 0 ? currencies : [currency]).map((one) => ({
      label: `Sold, ${currencyCode(one)}`,
      href: earningsHref(view, { chart: "money", currency: one }),
      isCurrent: chart === "money" && one === currency,
    })),
    {
      label: "Calls by plan",
      href: earningsHref(view, { chart: "plans" }),
      isCurrent: chart === "plans",
    },
    {
      label: "Calls by agent",
      href: earningsHref(view, { chart: "agents" }),
      isCurrent: chart === "agents",
    },
  ];
  const controls = <SegmentedLinks label="Show" links={links} />;
  const key = `${chart} ${range} ${currency}`;
  if (chart === "money") {
    const total = earnings.totals.find((one) => one.currency === currency && one.orders > 0);
    return (
      <Chart
        key={key}
        title={total ? soldText(total) : `No sales in the last ${RANGE_WORDS[range]}`}
        series={soldSeries}
        points={soldPoints(earnings, currency)}
        totals={{ sold: total ? exactMoney(total) : "0" }}
        pointName={pointName}
        controls={controls}
      />
    );
  }
  const parts =
    chart === "plans"
      ? earnings.plans.map((plan) => ({ ...plan, id: plan.planId, name: plan.planName }))
      : earnings.agents.flatMap((agent) =>
          agent.agentId
            ? [{ ...agent, id: agent.agentId, name: agent.agentName ?? agent.agentId }]
            : [],
        );
  return (
    <Chart
      key={key}
      title={`Settled calls by ${chart === "plans" ? "plan" : "agent"}`}
      {...partPoints(parts, earnings)}
      pointName={pointName}
      empty={`No settled calls in the last ${RANGE_WORDS[range]}.`}
      controls={controls}
    />
  );
}
