import { MoneyStatus } from "@turnpike/payments/protocol";
import { whoActsOf } from "@/lib/console/attempt-causes.ts";
import type {
  ActivitySeries,
  CauseCounts,
  Funnel,
  FunnelQuery,
  Home,
  HomeQuery,
  SeriesQuery,
} from "@/lib/console/figures.ts";
import { type Context, requireCaller } from "../context.ts";
import { getDelegationTotals } from "./delegation-totals.ts";
import { periodAt, periodOf } from "./period.ts";

/** Requests by money status over time, for charts. */
export async function getActivitySeries(
  context: Context,
  { range, ...query }: SeriesQuery,
): Promise<ActivitySeries> {
  const { account } = requireCaller(context);
  const { bucketSecs, numbers, startOf, since } = await periodOf(context, range);
  const scope = { ...query, since };
  const rows = await context.ports.figures.series(account, scope, bucketSecs);
  const totals = noCounts();
  const byBucket = new Map(numbers.map((bucket) => [bucket, noCounts()]));
  for (const { bucket, status, n } of rows) {
    const counts = byBucket.get(bucket);
    if (!counts) continue;
    counts[status] += n;
    totals[status] += n;
  }
  const buckets = [...byBucket].map(([bucket, counts]) => ({
    at: startOf(bucket).toISOString(),
    counts,
  }));
  return { range, bucketSecs, buckets, totals };
}

/** What kept the caller's requests from being paid, beside a period of the same length before. */
export async function getCauses(
  context: Context,
  { range, ...scope }: SeriesQuery,
): Promise<CauseCounts> {
  const { account } = requireCaller(context);
  const { since, before } = await periodOf(context, range);
  const rows = await context.ports.figures.causes(account, { ...scope, since }, before);
  const causes = rows.map(({ agentId, planId, ...row }) => {
    const whoActs = whoActsOf(row);
    return {
      ...row,
      ...(whoActs && { whoActs }),
      ...(agentId !== null && { agentId }),
      ...(planId !== null && { planId }),
      lastAt: row.lastAt.toISOString(),
    };
  });
  return { range, since: since.toISOString(), causes };
}

/** Conversion from the first 402 to payment; without test customers, unless asked for. */
export async function getFunnel(
  context: Context,
  { range, ...query }: FunnelQuery,
): Promise<Funnel> {
  const { account } = requireCaller(context);
  const { since } = await periodOf(context, range);
  const scope = { ...query, role: "builder" as const, since };
  const counts = await context.ports.figures.funnel(account, scope);
  return { range, since: since.toISOString(), ...counts };
}

/** The first page's figures in one call. */
export async function getHome(context: Context, { includeTest }: HomeQuery): Promise<Home> {
  const { account } = requireCaller(context);
  const now = await context.ports.clock.now();
  const { figures } = context.ports;
  const { since } = periodAt("24h", now);
  const [counts, due, { alerts }] = await Promise.all([
    figures.home(account, { now, since, includeTest }),
    figures.creditsDue(account, now, includeTest),
    getDelegationTotals(context),
  ]);
  const { served, used, evidenceUntil } = counts;
  return {
    now: now.toISOString(),
    builder: {
      plans: counts.plans,
      agents: counts.agents,
      ...(counts.agentId && { agentId: counts.agentId }),
      settled24h: served.settled,
      creditsEarned24h: served.credits.toString(),
      unsettled: served.unsettled,
      creditsDue: due.credits.toString(),
      ...(due.oldestAt && { oldestUnsettledAt: due.oldestAt.toISOString() }),
      hasChallenged: counts.hasChallenged || served.hasSettled,
      hasSettled: served.hasSettled,
    },
    subscriber: {
      subscriptions: counts.subscriptions,
      tokens: counts.tokens,
      hasLimit: counts.hasLimit,
      settled24h: used.settled,
      creditsUsed24h: used.credits.toString(),
      unsettled: used.unsettled,
      activeDelegations: counts.activeDelegations,
      delegationAlerts: alerts.reduce((sum, { count }) => sum + count, 0),
      hasSettled: used.hasSettled,
    },
    disputes: {
      open: counts.openDisputes,
      late: counts.lateDisputes,
      ...(evidenceUntil && { until: evidenceUntil.toISOString() }),
    },
    inbox: { openAlerts: counts.openAlerts, waitingApprovals: counts.waitingApprovals },
  };
}

const noCounts = () =>
  Object.fromEntries(MoneyStatus.options.map((status) => [status, 0])) as Record<
    MoneyStatus,
    number
  >;
