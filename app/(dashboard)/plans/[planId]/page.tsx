import type { Agent } from "@turnpike/payments/protocol";
import { unstable_rethrow } from "next/navigation";
import { Suspense } from "react";
import * as z from "zod/mini";
import { confirmationOf } from "@/app/_session/confirmation-of.ts";
import { read, readListed } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { activityHref } from "@/components/activity/filter/activity-filter.ts";
import { archiveEffects } from "@/components/business/archive-effects.ts";
import { PlanCustomerTable } from "@/components/business/customer-table.tsx";
import { EndingSection } from "@/components/business/ending-section.tsx";
import { RecentCalls } from "@/components/business/recent-calls.tsx";
import { cursorPages } from "@/components/list-query.ts";
import { stateOf } from "@/components/plans/plan-list.ts";
import { GateSamples } from "@/components/plans/plan-samples.tsx";
import { PlanSettings } from "@/components/plans/plan-settings.tsx";
import { PlanTable } from "@/components/plans/plan-table.tsx";
import {
  type PlanTab,
  type PlanTabProps,
  PlanTabs,
  readTab,
  tabHref,
} from "@/components/plans/plan-tabs.tsx";
import { sampleAgentOf } from "@/components/plans/sample-agent.ts";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import { isLeftOut } from "@/components/plans/visibility.ts";
import type { Routed, Searched } from "@/components/search-params.ts";
import { Visited } from "@/components/shell/visited.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { StatePill } from "@/components/ui/values/state-pill.tsx";
import { Tag } from "@/components/ui/values/tag.tsx";
import { FigureRange } from "@/lib/console/figures.ts";
import { getRunning } from "@/lib/server/running.ts";
import { shownOf } from "@/lib/text/plural.ts";
import * as actions from "../actions.ts";
import { readMarket } from "../read-market.ts";
import { readOwnPlan } from "../read-own-plan.ts";
import { OverviewTab } from "./overview-tab.tsx";

const LAST_CALLS = 8;
const MOST_AGENTS = 100;

async function ActivityTab({ planId }: { planId: string }) {
  const { items } = await read("listRequests", { planId, limit: LAST_CALLS });
  return (
    <RecentCalls
      rows={items}
      all={activityHref({ role: "builder", range: "30d", money: [], planId })}
      empty="Calls that this plan pays for appear here with their payment status."
      action={<ButtonLink href={`/plans/${planId}?tab=code`}>Show code</ButtonLink>}
    />
  );
}

type PlanPageProps = Routed<"planId"> & Searched;

export async function generateMetadata({ params }: PlanPageProps) {
  try {
    const { plan } = await readOwnPlan((await params).planId);
    return { title: plan.metadata.main.name };
  } catch (cause) {
    unstable_rethrow(cause);
    // The page itself reports the failure.
    return { title: "Plan" };
  }
}

const TABS: Record<PlanTab, (props: PlanTabProps) => Promise<React.ReactNode>> = {
  overview: OverviewTab,
  subscribers: SubscribersTab,
  activity: ActivityTab,
  code: CodeTab,
  settings: SettingsTab,
};

export default async function PlanPage({ params, searchParams }: PlanPageProps) {
  const { planId } = await params;
  const query = await searchParams;
  const { plan } = await readOwnPlan(planId);
  const agents = (await read("getPlanAgents", { planId, limit: MOST_AGENTS })).items;
  const rehearsal = await rehearsalHref(planId, agents);
  const tab = readTab(query.tab);
  const cursor = typeof query.cursor === "string" ? query.cursor : undefined;
  const range = z.catch(FigureRange, "30d").parse(query.range);
  const includeTest = query.tests === "1";
  const Tab = TABS[tab];
  return (
    <>
      <Visited href={`/plans/${planId}`} name={plan.metadata.main.name} kind="Plan" />
      <PageHeader
        title={plan.metadata.main.name}
        aside={
          <>
            <StatePill state={stateOf(plan)} />
            {plan.version > 1 && <Tag>Version {plan.version}</Tag>}
            {plan.metadata.plan.isTrialPlan && <Tag>Trial</Tag>}
            <Identifier value={plan.planId} name="plan ID" />
          </>
        }
        actions={
          plan.state !== "draft" &&
          !plan.archivedAt && (
            <>
              {rehearsal && <ButtonLink href={rehearsal}>Rehearse as customer</ButtonLink>}
              <ButtonLink href={`/p/${plan.planId}`}>Open public page</ButtonLink>
            </>
          )
        }
      />
      {isLeftOut(stateOf(plan), agents) && (
        <Notice
          tone="unsettled"
          className="mb-6"
          title="This plan is not on Explore"
          action={<ButtonLink href={`/agents/new?plan=${planId}`}>Register an agent</ButtonLink>}
        >
          A listed plan appears there while an agent with an endpoint accepts it.
        </Notice>
      )}
      <PlanTabs planId={plan.planId} tab={tab} />
      <Suspense
        key={`${tab} ${cursor} ${range} ${includeTest}`}
        fallback={
          <div className="mt-6">
            <PlanTable rows={[]} isLoading />
          </div>
        }
      >
        <Tab planId={planId} range={range} includeTest={includeTest} {...(cursor && { cursor })} />
      </Suspense>
    </>
  );
}

/** The playground as the plan's test customer, at its first agent; null in live and for a plan without an agent. */
async function rehearsalHref(planId: string, [agent]: Agent[]): Promise<string | null> {
  const { env } = await getRunning();
  return env.environment === "sandbox" && agent
    ? `/playground?rehearse=1&plan=${planId}&agent=${agent.agentId}`
    : null;
}

async function CodeTab({ planId }: { planId: string }) {
  const [{ plan }, agents, market] = await Promise.all([
    readOwnPlan(planId),
    read("getPlanAgents", { planId, limit: 1 }),
    readMarket(),
  ]);
  return (
    <GateSamples
      planId={planId}
      terms={termsOfPlan(plan)}
      agent={sampleAgentOf(agents.items)}
      market={market}
    />
  );
}

async function SettingsTab({ planId }: { planId: string }) {
  const [{ plan, redeemers }, subscribers, agents, { renewing }] = await Promise.all([
    readOwnPlan(planId),
    read("listSubscribers", { planId, limit: 1 }),
    read("getPlanAgents", { planId, limit: 1 }),
    read("getPlanFigures", { planId, range: "24h" }),
  ]);
  return (
    <>
      <PlanSettings
        planId={planId}
        texts={plan.metadata.main}
        state={stateOf(plan)}
        version={plan.version}
        subscribers={subscribers.total}
        agents={agents.total}
        redemptionType={termsOfPlan(plan).credits.redemptionType}
        redeemers={redeemers}
        confirmation={await confirmationOf(await requireSession())}
        updatePlan={actions.updatePlan}
        describePlan={actions.describePlan}
        changeRedeemers={actions.changeRedeemers}
      />
      <EndingSection
        what="plan"
        name={plan.metadata.main.name}
        isArchived={stateOf(plan) === "archived"}
        effects={archiveEffects.plan({
          subscribers: subscribers.total,
          renewing,
          agents: agents.total,
          isTime: plan.metadata.plan.accessLimit === "time",
        })}
        archive={actions.archivePlan.bind(null, { planId })}
        restore={actions.restorePlan.bind(null, { planId })}
        remove={actions.deletePlan.bind(null, { planId })}
      />
    </>
  );
}

async function SubscribersTab({ planId, cursor }: { planId: string; cursor?: string }) {
  const path = tabHref(planId, "subscribers");
  const hrefOf = (next?: string) =>
    next === undefined ? path : `${path}&cursor=${encodeURIComponent(next)}`;
  const [{ plan }, page] = await Promise.all([
    readOwnPlan(planId),
    readListed("listCustomers", { planId, cursor }, path),
  ]);
  return (
    <div className="mt-6">
      <PlanCustomerTable
        rows={page.items}
        foot={shownOf(page.items.length, page.total, "customer")}
        pages={cursorPages("customers", hrefOf, { cursor, nextCursor: page.nextCursor })}
        empty={
          <Empty
            kind="first"
            headingLevel={2}
            title="No subscribers yet"
            actions={
              <ButtonLink href={`/p/${planId}`}>
                {plan.state === "draft" ? "Preview public page" : "Open public page"}
              </ButtonLink>
            }
          >
            Subscribers appear here with their remaining credits.
          </Empty>
        }
      />
    </div>
  );
}
