import type { Agent, RequestRecord } from "@turnpike/payments/protocol";
import { matchesMethod, matchesSegments, normalizePath, pathOf } from "@turnpike/payments/protocol";
import type { DelegationTotals } from "@/lib/console/delegation-totals.ts";
import type { Home } from "@/lib/console/figures.ts";
import { plural } from "@/lib/text/plural.ts";
import { activityHref } from "../activity/filter/activity-filter.ts";
import { alertsOf } from "../delegations/delegation-alerts.ts";
import { groupDigits } from "../ui/values/money-text.ts";
import { dateText } from "../ui/values/time-text.ts";
import type { Need } from "./need.ts";
import { type SpendingFacts, spendingNeeds } from "./spending-needs.ts";

/** How many wait for the builder, and the earliest deadline of those that were read. */
type Waiting = { count: number; until?: string | undefined };

export type NeedFacts = {
  /** Unsettled calls the account sold, and the credits due for them as far as known. */
  unsettled: { count: number; creditsDue: bigint };
  /** Calls the account made whose outcome is unknown. */
  unknownMade: number;
  delegations?: Pick<DelegationTotals, "now" | "alerts"> | undefined;
  /** The agents that answered calls without payment. */
  agents: readonly Agent[];
  disputes: Home["disputes"];
  /** Those that wait for an answer. */
  refundRequests: Waiting;
  /** The newest calls that were answered without payment, and how many there are. */
  free: { items: readonly RequestRecord[]; total: number };
  /** Of a subscriber. */
  spending?: SpendingFacts | undefined;
};

/** What needs attention now, the most urgent first. */
export const needsOf = (facts: NeedFacts): Need[] =>
  [
    ...countedNeeds(facts).filter((need) => need !== false),
    ...freeNeeds(facts),
    ...(facts.spending ? spendingNeeds(facts.spending) : []),
    ...(facts.delegations ? alertsOf(facts.delegations) : []),
  ].sort((a, b) => b.harm - a.harm);

/** One of each kind that there is any of. */
const countedNeeds = ({
  unsettled,
  disputes,
  refundRequests,
  unknownMade,
}: NeedFacts): (Need | false)[] => [
  unsettled.count > 0 && {
    key: "unsettled",
    harm: 100,
    icon: "half",
    tone: "unsettled",
    title: plural(unsettled.count, "unsettled call"),
    detail:
      unsettled.creditsDue > 0n
        ? `Up to ${plural(unsettled.creditsDue, "credit")} may still be charged.`
        : "Credits may still be charged.",
    action: { label: "Reconcile", href: "/activity/reconcile" },
  },
  disputes.open > 0 && {
    key: "disputes",
    harm: 95,
    icon: "half",
    tone: "refused",
    title: plural(disputes.open, "dispute needs a response", "disputes need a response"),
    detail: disputes.until
      ? `Send evidence by ${dateText(new Date(disputes.until))}, or you lose the dispute.`
      : "Send evidence, or you lose the dispute.",
    action: { label: "Open", href: "/balance/disputes" },
  },
  disputes.late > 0 && {
    key: "late disputes",
    harm: 20,
    icon: "info",
    tone: "neutral",
    title: plural(disputes.late, "dispute waits for the bank", "disputes wait for the bank"),
    detail: "The deadline for evidence has passed, and the bank decides.",
    action: { label: "Open", href: "/balance/disputes" },
  },
  refundRequests.count > 0 && {
    key: "refund requests",
    harm: 75,
    icon: "half",
    tone: "unsettled",
    title: plural(
      refundRequests.count,
      "refund request waits for you",
      "refund requests wait for you",
    ),
    detail: refundRequests.until
      ? `Answer by ${dateText(new Date(refundRequests.until))}, or it is declined.`
      : "A request without an answer is declined.",
    action: { label: "Open", href: "/balance/refunds?show=requested" },
  },
  unknownMade > 0 && {
    key: "unknown",
    harm: 80,
    icon: "dashed",
    tone: "unsettled",
    title: plural(
      unknownMade,
      "call you made has an unknown outcome",
      "calls you made have an unknown outcome",
    ),
    detail: "Check it before you pay again.",
    action: {
      label: "Open",
      href: activityHref({
        role: "subscriber",
        range: "30d",
        money: ["delivered-unsettled", "unknown"],
      }),
    },
  },
];

/** Endpoints that answered without payment although they are registered as paid. */
function freeNeeds({ agents, free }: NeedFacts): Need[] {
  const { items, total } = free;
  const routes = new Map<string, { need: Need; at: string }>();
  for (const { agentId, method, path, httpStatus, at } of items) {
    if (!agentId || !method || !path || !httpStatus || httpStatus >= 300) continue;
    const agent = agents.find((one) => one.agentId === agentId);
    const route = agent && paidRouteOf(agent, method, path);
    if (!route || routes.has(route)) continue;
    const need: Need = {
      key: `free ${agentId} ${route}`,
      harm: 90,
      icon: "cross",
      tone: "refused",
      title: "An endpoint answers without payment",
      detail: `${route}, seen ${timeText(at)}`,
      action: { label: "Open agent", href: `/agents/${agentId}` },
    };
    routes.set(route, { need, at });
  }
  const unchecked: Need = {
    key: "free unchecked",
    harm: 10,
    icon: "info",
    tone: "neutral",
    title: `Only the newest ${groupDigits(items.length)} of ${groupDigits(total)} free calls were checked`,
    detail: "More endpoints may answer without payment.",
    action: {
      label: "Open",
      href: activityHref({ role: "builder", range: "24h", money: ["free"] }),
    },
  };
  const needs = [...routes.values()].map(({ need }) => need);
  return total > items.length ? [...needs, unchecked] : needs;
}

function paidRouteOf(agent: Agent, method: string, path: string): string | undefined {
  const { endpoints, openEndpoints } = agent.metadata.agent;
  const segments = normalizePath(path);
  if (!segments || openEndpoints.some((open) => fits(open, segments))) return undefined;
  for (const endpoint of endpoints) {
    for (const [verb, url] of Object.entries(endpoint)) {
      if (matchesMethod(verb, method) && fits(url, segments)) return `${verb} ${pathOf(url)}`;
    }
  }
  return undefined;
}

const fits = (url: string, segments: readonly string[]): boolean =>
  matchesSegments(pathOf(url).split("/").filter(Boolean), segments);

const timeText = (at: string) => new Date(at).toISOString().slice(11, 16);
