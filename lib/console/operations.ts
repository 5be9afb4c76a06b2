import { defineOperations, type ProtocolOperations } from "@turnpike/payments/protocol";
import * as z from "zod/mini";
import { DelegationEffects } from "./delegation-effects.ts";
import { DelegationTotals } from "./delegation-totals.ts";
import {
  ActivitySeries,
  Earnings,
  EarningsQuery,
  Funnel,
  FunnelQuery,
  Home,
  HomeQuery,
  SeriesQuery,
} from "./figures.ts";
import { MAX_RAW_RUN, RemovedPart, SharedRun, SharedRunSummary, sampleRun } from "./shared-run.ts";

const SECTION = "Dashboard";

const Nothing = z.object({});
const ShareRef = z.object({ shareId: z.string().check(z.maxLength(64)) });
const DelegationRef = z.object({ delegationId: z.string().check(z.maxLength(64)) });
const byShare = (shareId: string) => ({ shareId });

export const figures = /* @__PURE__ */ defineOperations(
  { name: "figures", section: SECTION, scope: "activity", audience: "console" },
  {
    /** Counts requests by payment status over 24 hours, 7 or 30 days. */
    getActivitySeries: {
      method: "GET",
      path: "/figures/activity",
      summary: "Count your requests by payment status over time",
      sample: ({ planId, agentId }) => ({ range: "24h", role: "builder", planId, agentId }),
      input: SeriesQuery,
      output: ActivitySeries,
    },
    /** Counts requests from the first 402 to settlement, without test customers'. */
    getFunnel: {
      method: "GET",
      path: "/figures/funnel",
      summary: "Count your requests from the first 402 to settlement",
      sample: ({ planId, agentId }) => ({ range: "7d", planId, agentId, includeTest: true }),
      input: FunnelQuery,
      output: Funnel,
    },
    /** Gets what your plans sold and your agents served, in exact amounts per currency. */
    getEarnings: {
      method: "GET",
      path: "/figures/earnings",
      summary: "Get what your plans sold and your agents served",
      sample: () => ({ range: "30d", includeTest: true }),
      input: EarningsQuery,
      output: Earnings,
    },
    /** Gets the home page's figures. */
    getHome: {
      method: "GET",
      path: "/figures/home",
      summary: "Get the home page's figures",
      sample: () => ({ includeTest: true }),
      input: HomeQuery,
      output: Home,
    },
    /** Gets what all your delegations can spend, have reserved and spent, and which need attention. */
    getDelegationTotals: {
      method: "GET",
      path: "/figures/delegations",
      scope: "delegations",
      summary: "Get the sums over all your delegations, and which need attention",
      input: Nothing,
      output: DelegationTotals,
    },
    /** Gets what revoking a delegation would stop. */
    getDelegationEffects: {
      method: "GET",
      path: "/delegation/:delegationId/effects",
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
      method: "POST",
      path: "/runs/shared",
      summary: "Share a playground run for seven days; secrets are removed first",
      maxInput: MAX_RAW_RUN,
      args: (run: string) => ({ run }),
      sample: () => ({ run: JSON.stringify(sampleRun) }),
      /** The run as JSON text, as the playground exports it. */
      input: z.object({ run: z.string().check(z.minLength(2), z.maxLength(MAX_RAW_RUN)) }),
      output: z.extend(SharedRunSummary, { removed: z.array(RemovedPart) }),
    },
    /** Lists the runs you share, newest first. */
    listSharedRuns: {
      method: "GET",
      path: "/runs/shared",
      summary: "List the runs you share, newest first",
      input: Nothing,
      output: z.object({ items: z.array(SharedRunSummary) }),
    },
    /** Gets a shared run; needs no key. Throws `not_found` once its link has expired. */
    getSharedRun: {
      method: "GET",
      path: "/runs/shared/:shareId",
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
      method: "DELETE",
      path: "/runs/shared/:shareId",
      summary: "Revoke the link to a shared run immediately",
      args: byShare,
      sample: ({ spare }) => ({ shareId: spare.shareToEndId }),
      input: ShareRef,
      output: z.object({ success: z.literal(true) }),
    },
  },
);

/** Operations that the dashboard alone needs; the published package does not have them. */
export const consoleOperations = { ...figures, ...runs };

export type ConsoleOperations = typeof consoleOperations;
/** What the dashboard's pages may read. */
export type DashboardOperations = ProtocolOperations & ConsoleOperations;
