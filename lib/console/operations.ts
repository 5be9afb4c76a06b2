import {
  AgentId,
  defineOperations,
  PlanId,
  type ProtocolOperations,
  pageOf,
} from "@turnpike/payments/protocol";
import * as z from "zod/mini";
import {
  AgentFigures,
  AgentFiguresQuery,
  Customer,
  CustomerDetails,
  CustomerRef,
  CustomersQuery,
  PlanFigures,
  PlanFiguresQuery,
  PlanVersion,
} from "./business.ts";
import { DelegationEffects } from "./delegation-effects.ts";
import { DelegationTotals } from "./delegation-totals.ts";
import { email } from "./email-address.ts";
import {
  ActivitySeries,
  CauseCounts,
  Earnings,
  EarningsQuery,
  Funnel,
  FunnelQuery,
  Home,
  HomeQuery,
  SeriesQuery,
} from "./figures.ts";
import { AgentDomain, CheckSchedule, MarketFactsAnswer, MarketFactsQuery } from "./market-facts.ts";
import { money } from "./money.ts";
import { SearchItem, SearchQuery } from "./search.ts";
import { MAX_RAW_RUN, RemovedPart, SharedRun, SharedRunSummary, sampleRun } from "./shared-run.ts";

const SECTION = "Dashboard";

const Nothing = z.object({});
const ShareRef = z.object({ shareId: z.string().check(z.maxLength(64)) });
const DelegationRef = z.object({ delegationId: z.string().check(z.maxLength(64)) });
const AgentRef = z.object({ agentId: AgentId });
const byShare = (shareId: string) => ({ shareId });

export const figures = /* @__PURE__ */ defineOperations(
  { name: "figures", section: SECTION, scope: "activity", audience: "console" },
  {
    /** Counts requests by payment status over 24 hours, 7 or 30 days. */
    getActivitySeries: {
      route: "GET /figures/activity",
      summary: "Count your requests by payment status over time",
      sample: ({ planId, agentId }) => ({ range: "24h", role: "builder", planId, agentId }),
      input: SeriesQuery,
      output: ActivitySeries,
    },
    /** Counts requests that were declined, not charged or not settled by cause, with the period before. */
    getCauses: {
      route: "GET /figures/causes",
      summary: "Count your unpaid requests by cause",
      sample: ({ planId, agentId }) => ({ range: "24h", role: "builder", planId, agentId }),
      input: SeriesQuery,
      output: CauseCounts,
    },
    /** Counts requests from the first 402 to settlement, without test customers'. */
    getFunnel: {
      route: "GET /figures/funnel",
      summary: "Count your requests from the first 402 to settlement",
      sample: ({ planId, agentId }) => ({ range: "7d", planId, agentId, includeTest: true }),
      input: FunnelQuery,
      output: Funnel,
    },
    /** Gets what your plans sold and your agents served, in exact amounts per currency. */
    getEarnings: {
      route: "GET /figures/earnings",
      summary: "Get what your plans sold and your agents served",
      sample: () => ({ range: "30d", includeTest: true }),
      input: EarningsQuery,
      output: Earnings,
    },
    getHome: {
      route: "GET /figures/home",
      summary: "Get the home page's figures",
      sample: () => ({ includeTest: true }),
      input: HomeQuery,
      output: Home,
    },
    /** Gets what your plan sold and served in a period, and in the one before. */
    getPlanFigures: {
      route: "GET /figures/plans/:planId",
      summary: "Get what your plan sold and served, and the period before",
      sample: ({ planId }) => ({ planId, range: "7d", includeTest: true }),
      input: PlanFiguresQuery,
      output: PlanFigures,
    },
    /** Gets what your agent served in a period, and in the one before. */
    getAgentFigures: {
      route: "GET /figures/agents/:agentId",
      summary: "Get what your agent served, and the period before",
      sample: ({ agentId }) => ({ agentId, range: "7d", includeTest: true }),
      input: AgentFiguresQuery,
      output: AgentFigures,
    },
    listPlanVersions: {
      route: "GET /protocol/plans/:planId/versions",
      scope: "plans",
      summary: "List the versions of your plan, newest first",
      input: z.object({ planId: PlanId }),
      output: z.object({ items: z.array(PlanVersion) }),
    },
    listCustomers: {
      route: "GET /customers",
      tenancy: "not found",
      summary: "List who ordered your plans, last seen first",
      sample: ({ planId }) => ({ planId, limit: 5, page: 1, search: "0x" }),
      input: CustomersQuery,
      output: pageOf(Customer),
    },
    /** Gets one of your customers. Throws `not_found`. */
    getCustomer: {
      route: "GET /customers/:address",
      summary: "Get one of your customers",
      sample: ({ subscriber }) => ({ address: subscriber.address }),
      input: CustomerRef,
      output: CustomerDetails,
    },
    search: {
      route: "GET /search",
      summary: "Find your objects by name, ID, address or hash",
      args: (q: string) => ({ q }),
      sample: ({ planId }) => ({ q: planId }),
      input: SearchQuery,
      output: z.object({ items: z.array(SearchItem) }),
    },
    /** Gets what all your delegations can spend, have reserved and spent, and which need attention. */
    getDelegationTotals: {
      route: "GET /figures/delegations",
      scope: "delegations",
      summary: "Get totals over all your delegations, and which need attention",
      input: Nothing,
      output: DelegationTotals,
    },
    getDelegationEffects: {
      route: "GET /delegation/:delegationId/effects",
      scope: "delegations",
      summary: "Get what revoking a delegation would stop",
      args: (delegationId: string) => ({ delegationId }),
      input: DelegationRef,
      output: DelegationEffects,
    },
  },
);

export const runs = /* @__PURE__ */ defineOperations(
  { name: "runs", section: SECTION, scope: "activity", audience: "console" },
  {
    /** Shares a playground run, given as JSON text, for seven days. Secrets are removed first. */
    shareRun: {
      route: "POST /runs/shared",
      summary: "Share a playground run for seven days; secrets are removed first",
      maxInput: MAX_RAW_RUN,
      args: (run: string) => ({ run }),
      sample: () => ({ run: JSON.stringify(sampleRun) }),
      /** The run as JSON text, as the playground exports it. */
      input: z.object({ run: z.string().check(z.minLength(2), z.maxLength(MAX_RAW_RUN)) }),
      output: z.extend(SharedRunSummary, { removed: z.array(RemovedPart) }),
    },
    listSharedRuns: {
      route: "GET /runs/shared",
      summary: "List the runs you share, newest first",
      input: Nothing,
      output: z.object({ items: z.array(SharedRunSummary) }),
    },
    /** Gets a shared run; needs no key. Throws `not_found` once its link has expired. */
    getSharedRun: {
      route: "GET /runs/shared/:shareId",
      access: "public",
      summary: "Get a shared run by the id in its link",
      args: byShare,
      input: ShareRef,
      output: z.extend(ShareRef, {
        run: SharedRun,
        createdAt: z.string(),
        expiresAt: z.string(),
        /** The caller shared it, and may revoke it. */
        isYours: z.boolean(),
      }),
    },
    /** Revokes a link of yours at once. Throws `not_found`. */
    endSharedRun: {
      route: "DELETE /runs/shared/:shareId",
      summary: "Revoke the link to a shared run immediately",
      args: byShare,
      sample: ({ spare }) => ({ shareId: spare.shareToEndId }),
      input: ShareRef,
      output: z.object({ success: z.literal(true) }),
    },
  },
);

export const market = /* @__PURE__ */ defineOperations(
  { name: "market", section: SECTION, scope: "plans", audience: "console" },
  {
    listMarketFacts: {
      route: "GET /market/facts",
      access: "public",
      cacheSecs: 60,
      summary: "List what the ledger saw of plans and agents in the last 30 days",
      sample: ({ planId, agentId }) => ({ planIds: planId, agentIds: agentId }),
      input: MarketFactsQuery,
      output: MarketFactsAnswer,
    },
    /** Gets whether your agent's domain is proved, and what to publish to prove it. */
    getAgentDomain: {
      route: "GET /protocol/agents/:agentId/domain",
      summary: "Get whether your agent's domain is verified, and what to publish",
      input: AgentRef,
      output: AgentDomain,
    },
    checkAgentDomain: {
      route: "POST /protocol/agents/:agentId/domain",
      repeatable: true,
      summary: "Check the proof of your agent's domain now",
      input: AgentRef,
      output: AgentDomain,
    },
    /** Gets whether your agent is checked once a day, and what its last checks found. */
    getCheckSchedule: {
      route: "GET /protocol/agents/:agentId/checks",
      summary: "Get whether your agent is checked once a day, and what the last checks found",
      input: AgentRef,
      output: CheckSchedule,
    },
    /** Switches your agent's daily check on or off. Its checks are never charged. */
    setCheckSchedule: {
      route: "PUT /protocol/agents/:agentId/checks",
      repeatable: true,
      summary: "Turn your agent's daily check on or off",
      sample: ({ agentId }) => ({ agentId, isOn: false }),
      input: z.extend(AgentRef, { isOn: z.boolean() }),
      output: CheckSchedule,
    },
  },
);

/** Operations that the dashboard alone needs; the published package does not have them. */
export const consoleOperations = { ...figures, ...runs, ...market, ...money, ...email };

export type ConsoleOperations = typeof consoleOperations;
/** What the dashboard's pages may read. */
export type DashboardOperations = ProtocolOperations & ConsoleOperations;
