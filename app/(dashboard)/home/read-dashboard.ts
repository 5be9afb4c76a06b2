import "server-only";
import type { Role } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import type { FigureFacts } from "@/components/home/home-figures.ts";
import { needsOf } from "@/components/home/needs.ts";
import type { FigureRange, Home } from "@/lib/console/figures.ts";
import { attempt } from "./attempt.ts";
import { figuresPeriod } from "./figures-period.ts";
import { readSpending } from "./read-spending.ts";

const LAST = 8;

export type DashboardView = { role: Role; range: FigureRange; includeTest: boolean };

/** Everything the home page shows, read in parallel. Parts that fail are left out; `isPartial`: some needs are. */
export async function readDashboard(home: Home, { role, range, includeTest }: DashboardView) {
  const period = figuresPeriod(new Date(home.now));
  const since = period.since.toISOString();
  const before = {
    role,
    includeTest,
    moneyStatus: "settled",
    since: period.before.toISOString(),
    until: since,
    limit: 1,
  } as const;
  const sells = home.builder.plans > 0 || home.builder.agents > 0;
  const [series, last, lost, settledBefore, earnings, delegations, free, requests, spending] =
    await Promise.all([
      attempt("series", read("getActivitySeries", { role, range, includeTest })),
      attempt("last calls", read("listRequests", { role, includeTest, limit: LAST })),
      attempt("causes", read("getCauses", { role, range, includeTest })),
      attempt("the period before", read("listRequests", before)),
      sells ? attempt("earnings", read("getEarnings", { range: "24h", includeTest })) : undefined,
      attempt("delegations", read("getDelegationTotals", {})),
      sells
        ? attempt(
            "free",
            read("listRequests", { role: "builder", moneyStatus: "free", since, limit: 100 }),
          )
        : undefined,
      sells
        ? attempt(
            "refund requests",
            read("listRefunds", { role: "builder", status: "requested", limit: 100 }),
          )
        : undefined,
      role === "subscriber" ? readSpending(home.now) : undefined,
    ]);

  const figures: FigureFacts = {
    role,
    home,
    settledBefore: settledBefore?.total,
    earnings,
    delegations,
  };
  const freeIds = new Set(free?.items.flatMap(({ agentId }) => agentId ?? []));
  const agents = await Promise.all(
    [...freeIds].map((agentId) => attempt("agent", read("getAgent", { agentId }))),
  );
  const { unsettled, creditsDue } = home.builder;
  const needs = needsOf({
    unsettled: { count: unsettled, creditsDue: BigInt(creditsDue) },
    unknownMade: home.subscriber.unsettled,
    delegations,
    disputes: home.disputes,
    refundRequests: waitingOf(requests, ({ expiresAt }) => expiresAt),
    agents: agents.filter((agent) => agent !== undefined),
    free: { items: free?.items ?? [], total: free?.total ?? 0 },
    spending: spending && {
      ...spending,
      now: home.now,
      waitingApprovals: home.inbox.waitingApprovals,
    },
  });
  const isPartial = [
    delegations,
    ...(sells ? [free, requests] : []),
    ...(spending ? [spending.subscriptions, spending.budgets] : []),
    ...agents,
  ].includes(undefined);
  return { series, last, lost, figures, needs, isPartial, spending };
}

/** How many wait, and the earliest of their deadlines. */
function waitingOf<Row>(
  page: { items: Row[]; total: number } | undefined,
  deadlineOf: (row: Row) => string | undefined,
) {
  const [until] = (page?.items ?? []).flatMap((row) => deadlineOf(row) ?? []).sort();
  return { count: page?.total ?? 0, until };
}
