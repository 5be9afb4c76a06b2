import "server-only";
import type { Role } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import type { FigureFacts } from "@/components/home/home-figures.ts";
import { needsOf } from "@/components/home/needs.ts";
import type { Earnings, FigureRange, Home } from "@/lib/console/figures.ts";
import { DAY_MS } from "@/lib/text/durations.ts";
import { attempt } from "./attempt.ts";

const LAST = 8;

export type DashboardView = { role: Role; range: FigureRange; includeTest: boolean };

/** Everything the home page shows, read in parallel. Parts that fail are left out. */
export async function readDashboard(home: Home, { role, range, includeTest }: DashboardView) {
  const now = Date.parse(home.now);
  const day = new Date(now - DAY_MS).toISOString();
  const before = {
    role,
    includeTest,
    moneyStatus: "settled",
    since: new Date(now - 2 * DAY_MS).toISOString(),
    until: day,
    limit: 1,
  } as const;
  const sells = home.builder.plans > 0 || home.builder.agents > 0;
  const [series, last, lost, settledBefore, earnings, unsettled, delegations, agents, free] =
    await Promise.all([
      attempt("series", read("getActivitySeries", { role, range, includeTest })),
      attempt("last calls", read("listRequests", { role, includeTest, limit: LAST })),
      attempt("causes", read("getCauses", { role, range, includeTest })),
      attempt("the day before", read("listRequests", before)),
      sells ? attempt("earnings", read("getEarnings", { range: "24h", includeTest })) : undefined,
      home.builder.unsettled > 0
        ? attempt("unsettled", read("listUnsettledRequests", { limit: 100 }))
        : undefined,
      attempt("delegations", read("listDelegations", { limit: 100 })),
      sells ? attempt("agents", read("listAgents", { limit: 100 })) : undefined,
      sells
        ? attempt(
            "free",
            read("listRequests", { role: "builder", moneyStatus: "free", since: day, limit: 100 }),
          )
        : undefined,
    ]);

  const due = (unsettled?.items ?? []).map(({ creditsDue }) => BigInt(creditsDue ?? 0));
  const creditsDue = due.reduce((sum, credits) => sum + credits, 0n);
  const oldestAt = unsettled?.items.at(-1)?.at;
  const active = (delegations?.items ?? []).filter(({ status }) => status === "Active");
  const [endsFirst] = active.sort((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt));
  const figures: FigureFacts = {
    role,
    home,
    settledBefore: settledBefore?.total,
    worth: sumWorth(earnings?.agents ?? []),
    endsFirst,
    ...(role === "builder" && { creditsDue, oldestUnsettledAt: oldestAt }),
  };
  const needs = needsOf({
    now: home.now,
    unsettled: { count: home.builder.unsettled, creditsDue, ...(oldestAt && { oldestAt }) },
    unknownMade: home.subscriber.unsettled,
    delegations: delegations?.items ?? [],
    agents: agents?.items ?? [],
    free: free?.items ?? [],
  });
  return { series, last, lost, figures, needs };
}

type Worth = Earnings["agents"][number]["worth"];

/** The value of all agents' credits, by currency. */
function sumWorth(agents: Earnings["agents"]): Worth {
  const byCurrency = new Map<string, Worth[number]>();
  for (const money of agents.flatMap(({ worth }) => worth)) {
    const known = byCurrency.get(money.currency);
    const amount = (BigInt(known?.amount ?? 0) + BigInt(money.amount)).toString();
    byCurrency.set(money.currency, { ...money, amount });
  }
  return [...byCurrency.values()];
}
