import { Role } from "@turnpike/payments/protocol";
import * as z from "zod/mini";
import { readPreference } from "@/app/_session/preferences.ts";
import { requireSession } from "@/app/_session/session.ts";
import { SalesNotice } from "@/app/checkout/sales-notice.tsx";
import { ErrorTable } from "@/components/activity/errors/error-table.tsx";
import { activityHref } from "@/components/activity/filter/activity-filter.ts";
import { TestCallsLink } from "@/components/activity/test-calls-link.tsx";
import { BudgetSummary } from "@/components/home/budget-summary.tsx";
import { CallsChart } from "@/components/home/calls-chart.tsx";
import { Checklist } from "@/components/home/checklist.tsx";
import { checklistsOf, sidesOf } from "@/components/home/checklist-steps.ts";
import { CreditsLeft } from "@/components/home/credits-left.tsx";
import { homeFigures } from "@/components/home/home-figures.ts";
import { LastCalls } from "@/components/home/last-calls.tsx";
import { NeedsList } from "@/components/home/needs-list.tsx";
import { RoleChoice } from "@/components/home/role-choice.tsx";
import { choiceLinks } from "@/components/list-query.ts";
import type { Searched } from "@/components/search-params.ts";
import { firstToEnd } from "@/components/subscriptions/outlook.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Figures } from "@/components/ui/data/figures.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { NearLink } from "@/components/ui/links/near-link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { shortenIdentifier } from "@/components/ui/values/shorten-identifier.ts";
import { type CauseCount, FigureRange, type Home } from "@/lib/console/figures.ts";
import { readNames } from "../activity/read-names.ts";
import { readHome, usualRole } from "../activity/read-side.ts";
import { chooseStart } from "../preference-actions.ts";
import { figuresText } from "./figures-period.ts";
import { type DashboardView, readDashboard } from "./read-dashboard.ts";

export const metadata = { title: "Home" };

export default async function HomePage({ searchParams }: Searched) {
  const params = await searchParams;
  const includeTest = params.tests === "1";
  const [{ account }, home] = await Promise.all([requireSession(), readHome(includeTest)]);
  const { sells, buys } = sidesOf(home);
  const role = z.catch(Role, usualRole(home)).parse(params.as);
  const range = z.catch(FigureRange, "24h").parse(params.range);
  const start = await readPreference("start");
  const lists = checklistsOf(home, start);
  const name = account.name ?? shortenIdentifier(account.address);
  const isFresh = !sells && !buys;
  return (
    <>
      <PageHeader
        title="Home"
        actions={isFresh ? undefined : <HomeActions role={role} isPrimary={lists.length === 0} />}
      >
        {isFresh ? name : `${name}. ${figuresText(new Date(home.now))}`}
      </PageHeader>
      <div className="mb-6 empty:hidden">
        <SalesNotice />
      </div>
      {isFresh && <RoleChoice start={start} choose={chooseStart} />}
      {lists.length > 0 && (
        <div className="mb-8 grid gap-4 empty:hidden lg:auto-cols-fr lg:grid-flow-col">
          {lists.map((side, index) => (
            <Checklist key={side} role={side} home={home} isPrimary={index === 0} />
          ))}
        </div>
      )}
      {sells && buys && (
        <div className="mb-4">
          <SegmentedLinks
            label="Role"
            links={choiceLinks({ builder: "Selling", subscriber: "Buying" }, role, (side) =>
              homeHref({ role: side, range, includeTest }),
            )}
          />
        </div>
      )}
      {!isFresh && <Dashboard {...{ home, role, range, includeTest }} />}
    </>
  );
}

const homeHref = ({ role, range, includeTest }: DashboardView) =>
  `/home?as=${role}&range=${range}${includeTest ? "&tests=1" : ""}`;

/** The most frequent ones; Activity has them all. */
const MOST_CAUSES = 5;

type DashboardProps = DashboardView & { home: Home };

async function Dashboard({ home, ...view }: DashboardProps) {
  const { role, range, includeTest } = view;
  const [{ series, last, lost, figures, needs, isPartial, spending }, names] = await Promise.all([
    readDashboard(home, view),
    readNames(),
  ]);
  const tests = includeTest ? "1" : undefined;
  const isAside = needs.length > 0 || spending?.budgets !== undefined;
  const hrefs = Object.fromEntries(
    FigureRange.options.map((one) => [one, homeHref({ ...view, range: one })]),
  ) as Record<FigureRange, string>;
  return (
    <>
      <h2 className="sr-only">Figures</h2>
      <Figures figures={homeFigures(figures)} />
      {role === "builder" && (
        <p className="mt-3 text-end">
          <TestCallsLink
            areShown={includeTest}
            href={homeHref({ ...view, includeTest: !includeTest })}
          />
        </p>
      )}
      {isPartial && (
        <Notice
          tone="info"
          title="Some of what needs attention could not be loaded"
          className="mt-8"
        >
          Reload the page to try again.
        </Notice>
      )}
      <div
        className={`mt-8 grid items-start gap-8 ${isAside ? "lg:grid-cols-[minmax(0,1fr)_344px]" : ""}`}
      >
        {isAside && (
          // What to do next comes first, also where there is one column.
          <div className="grid min-w-0 gap-8 lg:order-1">
            <NeedsList needs={needs} />
            {spending?.budgets && <BudgetSummary budgets={spending.budgets} />}
          </div>
        )}
        <div className="grid min-w-0 gap-8">
          <Credits subscriptions={spending?.subscriptions ?? []} now={home.now} />
          {series ? (
            <CallsChart
              key={`${role} ${range} ${includeTest}`}
              {...{ role, includeTest, series, hrefs }}
            />
          ) : (
            <Notice tone="info" title="The chart could not be loaded">
              Reload the page to try again. Nothing was charged.
            </Notice>
          )}
        </div>
      </div>
      <LostCalls causes={lost?.causes ?? []} {...view} />
      <section aria-labelledby="last-calls" className="mt-8 min-w-0">
        <ListHead
          id="last-calls"
          title="Recent calls"
          all={["All activity", activityHref({ role, range: "30d", money: [] }, { tests })]}
        />
        {last ? (
          <LastCalls
            key={`${role} ${includeTest}`}
            {...{ role, includeTest, names }}
            first={last}
          />
        ) : (
          <Notice tone="info" title="Recent calls could not be loaded">
            Reload the page to try again. Nothing was charged.
          </Notice>
        )}
      </section>
    </>
  );
}

function Credits({ subscriptions, now }: Parameters<typeof CreditsLeft>[0]) {
  if (subscriptions.length === 0) return null;
  return (
    <section aria-labelledby="credits-left" className="min-w-0">
      <ListHead
        id="credits-left"
        title="Credits left"
        all={["All subscriptions", "/subscriptions"]}
      />
      <CreditsLeft subscriptions={firstToEnd(subscriptions, now)} now={now} />
    </section>
  );
}

type LostCallsProps = DashboardView & { causes: CauseCount[] };

function LostCalls({ causes, role, range, includeTest }: LostCallsProps) {
  if (causes.length === 0) return null;
  const tests = includeTest ? "1" : undefined;
  const href = activityHref({ role, range, money: [] }, { tests }, "/activity/errors");
  return (
    <section aria-labelledby="lost-calls" className="mt-8 min-w-0">
      <ListHead id="lost-calls" title="Lost calls" all={["All causes", href]} />
      <ErrorTable causes={causes.slice(0, MOST_CAUSES)} {...{ role, range, tests }} />
    </section>
  );
}

type ListHeadProps = { id: string; title: string; all: readonly [label: string, href: string] };

function ListHead({ id, title, all: [label, href] }: ListHeadProps) {
  return (
    <div className="mb-2 flex min-h-8.5 items-center">
      <h2 id={id} className="text-h2">
        {title}
      </h2>
      <NearLink href={href} className="link ms-auto inline-flex min-h-6 items-center text-label">
        {label}
      </NearLink>
    </div>
  );
}

function HomeActions({ role, isPrimary }: { role: Role; isPrimary: boolean }) {
  const look = isPrimary ? "primary" : "plain";
  if (role === "subscriber") {
    return (
      <>
        <ButtonLink href="/tokens/new">Mint access token</ButtonLink>
        <ButtonLink href="/explore" look={look}>
          Explore plans
        </ButtonLink>
      </>
    );
  }
  return (
    <>
      <ButtonLink href="/agents/new">Register an agent</ButtonLink>
      <ButtonLink href="/plans/new" look={look}>
        New plan
      </ButtonLink>
    </>
  );
}
