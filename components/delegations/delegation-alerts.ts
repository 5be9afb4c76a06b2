import type { DelegationSummary } from "@turnpike/payments/protocol";
import { DAY_SECS, HOUR_SECS } from "@/lib/text/durations.ts";
import { plural, pluralWord } from "@/lib/text/plural.ts";
import { durationText } from "../ui/fields/duration-text.ts";
import { momentText } from "./delegation-text.ts";

/** A limit of a delegation that is nearly reached: for each kind, the highest threshold crossed. */
export type DelegationAlert = {
  delegationId: string;
  kind: "money" | "charges" | "time";
  /** A percentage used, or seconds left. Each alert is shown once for each threshold. */
  threshold: number;
  tone: "info" | "unsettled" | "refused";
  title: string;
  detail: string;
};

type Watched = Pick<
  DelegationSummary,
  | "delegationId"
  | "status"
  | "spendingLimitCents"
  | "amountSpentCents"
  | "amountReservedCents"
  | "transactionCount"
  | "maxTransactions"
  | "createdAt"
  | "expiresAt"
  | "activeTokens"
> & { name: string };

const PERCENTS = [95, 80, 50];
const LEFT_SECS = [HOUR_SECS, DAY_SECS, 7 * DAY_SECS];

/** The alerts of a delegation. `agents` is how many are called under it, where that is known. */
export function alertsOf(delegation: Watched, now: Date, agents?: number): DelegationAlert[] {
  if (delegation.status !== "Active") return [];
  return [
    moneyAlert(delegation),
    chargesAlert(delegation),
    timeAlert(delegation, now, agents),
  ].filter((alert) => alert !== undefined);
}

function moneyAlert(delegation: Watched): DelegationAlert | undefined {
  const used = BigInt(delegation.amountSpentCents) + BigInt(delegation.amountReservedCents);
  const threshold = crossed(used, BigInt(delegation.spendingLimitCents));
  if (threshold === undefined) return undefined;
  return {
    delegationId: delegation.delegationId,
    kind: "money",
    threshold,
    tone: toneOf(threshold),
    title: `“${delegation.name}” has used ${threshold} % of its limit.`,
    detail: "At 100 %, calls that need a top-up are declined.",
  };
}

function chargesAlert(delegation: Watched): DelegationAlert | undefined {
  const { maxTransactions, transactionCount } = delegation;
  // A single charge is one order, not a limit to watch.
  if (maxTransactions === undefined || maxTransactions < 2) return undefined;
  const threshold = crossed(BigInt(transactionCount), BigInt(maxTransactions));
  if (threshold === undefined) return undefined;
  return {
    delegationId: delegation.delegationId,
    kind: "charges",
    threshold,
    tone: toneOf(threshold),
    title: `“${delegation.name}” has used ${transactionCount} of ${maxTransactions} charges.`,
    detail: "After the last one, calls that need a top-up are declined.",
  };
}

function timeAlert(delegation: Watched, now: Date, agents?: number): DelegationAlert | undefined {
  const { createdAt, expiresAt, activeTokens } = delegation;
  const leftSecs = (Date.parse(expiresAt) - now.getTime()) / 1_000;
  const lengthSecs = (Date.parse(expiresAt) - Date.parse(createdAt)) / 1_000;
  // A delegation that was short from the start should not warn right away.
  const threshold = LEFT_SECS.find((secs) => leftSecs <= secs && lengthSecs > secs);
  if (threshold === undefined) return undefined;
  return {
    delegationId: delegation.delegationId,
    kind: "time",
    threshold,
    tone: threshold === HOUR_SECS ? "refused" : threshold === DAY_SECS ? "unsettled" : "info",
    title: `“${delegation.name}” expires ${momentText(expiresAt, now)} UTC. ${effectText(agents, activeTokens)}`,
    detail: `${durationText(leftSecs)} left.`,
  };
}

function effectText(agents: number | undefined, tokens: number): string {
  if (agents) return `Calls to ${plural(agents, "agent")} stop then.`;
  if (tokens === 0) return "No token depends on it.";
  return `${plural(tokens, "token")} ${pluralWord(tokens, "stops", "stop")} working then.`;
}

function crossed(part: bigint, whole: bigint): number | undefined {
  if (whole <= 0n) return undefined;
  return PERCENTS.find((percent) => part * 100n >= whole * BigInt(percent));
}

const toneOf = (percent: number) =>
  percent === 95 ? "refused" : percent === 80 ? "unsettled" : "info";
