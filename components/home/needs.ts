import type { Agent, DelegationSummary, RequestRecord } from "@turnpike/payments/protocol";
import { matchesMethod, matchesSegments, normalizePath, pathOf } from "@turnpike/payments/protocol";
import { DAY_MS } from "@/lib/text/durations.ts";
import { plural } from "@/lib/text/plural.ts";
import type { IconName } from "../ui/icon.tsx";
import { moneyText } from "../ui/values/money-text.ts";
import { dateText } from "../ui/values/time-text.ts";

/** Something that needs attention, and where to handle it. */
export type Need = {
  key: string;
  /** The larger, the more urgent. */
  harm: number;
  icon: IconName;
  tone: "unsettled" | "refused" | "neutral";
  title: string;
  detail: string;
  action: { label: string; href: string };
};

export type NeedFacts = {
  now: string;
  /** Unsettled calls the account sold, and the credits due for them as far as known. */
  unsettled: { count: number; creditsDue: bigint; oldestAt?: string };
  /** Calls the account made whose outcome is unknown. */
  unknownMade: number;
  delegations: readonly DelegationSummary[];
  agents: readonly Agent[];
  /** Calls that were answered without payment. */
  free: readonly RequestRecord[];
};

const SOON_MS = 7 * DAY_MS;
const NEARLY_PERCENT = 80n;
/** More delegations than this are summed up in one line. */
const MOST_LINES = 3;

/** What needs attention now, the most urgent first. */
export function needsOf(facts: NeedFacts): Need[] {
  const needs = [
    ...unsettledNeed(facts),
    ...freeNeeds(facts),
    ...unknownNeed(facts),
    ...delegationNeeds(facts),
  ];
  return needs.sort((a, b) => b.harm - a.harm);
}

function unsettledNeed({ unsettled: { count, creditsDue } }: NeedFacts): Need[] {
  if (count === 0) return [];
  return [
    {
      key: "unsettled",
      harm: 100,
      icon: "half",
      tone: "unsettled",
      title: plural(count, "unsettled call"),
      detail:
        creditsDue > 0n
          ? `Up to ${plural(creditsDue, "credit")} may still be charged.`
          : "Credits may still be charged.",
      action: { label: "Reconcile", href: "/activity/reconcile" },
    },
  ];
}

function unknownNeed({ unknownMade }: NeedFacts): Need[] {
  if (unknownMade === 0) return [];
  return [
    {
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
        href: "/activity?role=subscriber&range=30d&money=delivered-unsettled,unknown",
      },
    },
  ];
}

/** Endpoints that answered without payment although they are registered as paid. */
function freeNeeds({ agents, free }: NeedFacts): Need[] {
  const routes = new Map<string, { need: Need; at: string }>();
  for (const { agentId, method, path, httpStatus, at } of free) {
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
  return [...routes.values()].map(({ need }) => need);
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

function delegationNeeds({ now, delegations }: NeedFacts): Need[] {
  const at = Date.parse(now);
  const waiting = delegations.filter(({ status }) => status === "AwaitingSignature");
  const active = delegations.filter(({ status }) => status === "Active");
  const ending = active
    .filter(({ expiresAt }) => Date.parse(expiresAt) - at < SOON_MS)
    .sort((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt));
  const full = active.filter((delegation) => usedPercent(delegation) >= NEARLY_PERCENT);
  return [
    ...waiting.map(signNeed),
    ...(ending.length > MOST_LINES
      ? [manyEnding(ending, at)]
      : ending.map((delegation) => endingNeed(delegation, at))),
    ...(full.length > MOST_LINES ? [manyFull(full.length)] : full.map(fullNeed)),
  ];
}

const nameOf = ({ name, delegationId }: DelegationSummary) =>
  name ? `“${name}”` : `Delegation ${delegationId.slice(0, 8)}`;

/** The spent and reserved share of its limit, in whole percent. */
export function usedPercent(delegation: DelegationSummary): bigint {
  const limit = BigInt(delegation.spendingLimitCents);
  if (limit === 0n) return 0n;
  const used = BigInt(delegation.amountSpentCents) + BigInt(delegation.amountReservedCents);
  return (used * 100n) / limit;
}

function signNeed(delegation: DelegationSummary): Need {
  return {
    key: `sign ${delegation.delegationId}`,
    harm: 60,
    icon: "edit",
    tone: "unsettled",
    title: `${nameOf(delegation)} needs your signature`,
    detail: "It can’t be used until you sign it.",
    action: { label: "Sign", href: `/delegations/${delegation.delegationId}` },
  };
}

function endingNeed(delegation: DelegationSummary, now: number): Need {
  const { delegationId, expiresAt, activeTokens } = delegation;
  const left = Date.parse(expiresAt) - now;
  return {
    key: `ending ${delegationId}`,
    harm: left < DAY_MS ? 70 : 40,
    icon: "clock",
    tone: "unsettled",
    title: `${nameOf(delegation)} expires ${whenText(expiresAt, now)}`,
    detail:
      activeTokens > 0
        ? `${plural(activeTokens, "access token stops", "access tokens stop")} working then.`
        : "No active access token uses it.",
    action: { label: "Renew", href: `/delegations/new?from=${delegationId}` },
  };
}

function manyEnding(ending: readonly DelegationSummary[], now: number): Need {
  const [first] = ending;
  const isSoon = first !== undefined && Date.parse(first.expiresAt) - now < DAY_MS;
  return {
    key: "ending",
    harm: isSoon ? 70 : 40,
    icon: "clock",
    tone: "unsettled",
    title: `${plural(ending.length, "delegation")} expire within 7 days`,
    detail: first ? `First: ${nameOf(first)}, ${whenText(first.expiresAt, now)}.` : "",
    action: { label: "Open", href: "/delegations" },
  };
}

function fullNeed(delegation: DelegationSummary): Need {
  const { delegationId, remainingBudgetCents, spendingLimitCents, currency } = delegation;
  const money = (cents: bigint) => moneyText(BigInt(cents), minorDigits(currency), currency);
  return {
    key: `full ${delegationId}`,
    harm: 50,
    icon: "gauge",
    tone: "unsettled",
    title: `${nameOf(delegation)} has used ${usedPercent(delegation)}% of its limit`,
    detail: `${money(remainingBudgetCents)} left of ${money(spendingLimitCents)}.`,
    action: { label: "Open", href: `/delegations/${delegationId}` },
  };
}

const manyFull = (count: number): Need => ({
  key: "full",
  harm: 50,
  icon: "gauge",
  tone: "unsettled",
  title: `${plural(count, "delegation")} have used 80% or more of their limit`,
  detail: "Calls are declined once a limit is reached.",
  action: { label: "Open", href: "/delegations" },
});

/** The number of decimals of a currency, by the runtime's own tables. */
function minorDigits(currency: string): number {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

const timeText = (at: string) => new Date(at).toISOString().slice(11, 16);

/** `today at 14:00`, `tomorrow at 14:00`, `on 24 Nov at 14:00`, in UTC. */
export function whenText(at: string, now: number): string {
  const day = (ms: number) => Math.floor(ms / DAY_MS);
  const days = day(Date.parse(at)) - day(now);
  if (days === 0) return `today at ${timeText(at)}`;
  if (days === 1) return `tomorrow at ${timeText(at)}`;
  return `on ${dateText(new Date(at)).replace(/ \d{4}$/, "")} at ${timeText(at)}`;
}
