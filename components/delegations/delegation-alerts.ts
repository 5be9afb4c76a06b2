import type { DelegationSummary } from "@turnpike/payments/protocol";
import { durationText } from "../ui/fields/duration-text.ts";
import { endsText } from "./delegation-text.ts";

/** Something about a delegation one should know before it ends. One per kind: the highest threshold crossed. */
export type DelegationAlert = {
  delegationId: string;
  kind: "money" | "charges" | "time";
  /** The threshold, which fires once: a percentage used, or seconds left. */
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
const HOUR = 3_600;
const LEFT_SECS = [HOUR, 24 * HOUR, 7 * 24 * HOUR];

/** What the limits of a delegation have reached. `agents` is how many lose their payer, where that is known. */
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
    title: `‘${delegation.name}’ has used ${threshold} % of its limit.`,
    detail: "When it is used up, calls that need a top-up are refused.",
  };
}

function chargesAlert(delegation: Watched): DelegationAlert | undefined {
  const { maxTransactions, transactionCount } = delegation;
  // One charge of one is how a single order looks, not something that runs out.
  if (maxTransactions === undefined || maxTransactions < 2) return undefined;
  const threshold = crossed(BigInt(transactionCount), BigInt(maxTransactions));
  if (threshold === undefined) return undefined;
  return {
    delegationId: delegation.delegationId,
    kind: "charges",
    threshold,
    tone: toneOf(threshold),
    title: `‘${delegation.name}’ has made ${transactionCount} of ${maxTransactions} charges.`,
    detail: "After the last one, calls that need a top-up are refused.",
  };
}

function timeAlert(delegation: Watched, now: Date, agents?: number): DelegationAlert | undefined {
  const { createdAt, expiresAt, activeTokens } = delegation;
  const leftSecs = (Date.parse(expiresAt) - now.getTime()) / 1_000;
  const lengthSecs = (Date.parse(expiresAt) - Date.parse(createdAt)) / 1_000;
  // What was short from the beginning does not warn at its beginning.
  const threshold = LEFT_SECS.find((secs) => leftSecs <= secs && lengthSecs > secs);
  if (threshold === undefined) return undefined;
  return {
    delegationId: delegation.delegationId,
    kind: "time",
    threshold,
    tone: threshold === HOUR ? "refused" : threshold === 24 * HOUR ? "unsettled" : "info",
    title: `‘${delegation.name}’ ends ${endsText(expiresAt, now)}. ${stopText(agents, activeTokens)}`,
    detail: `${durationText(leftSecs)} left.`,
  };
}

function stopText(agents: number | undefined, tokens: number): string {
  if (agents !== undefined && agents > 0) {
    return agents === 1 ? "1 agent stops then." : `${agents} agents stop then.`;
  }
  if (tokens === 0) return "No token depends on it.";
  return tokens === 1 ? "1 token stops then." : `${tokens} tokens stop then.`;
}

function crossed(part: bigint, whole: bigint): number | undefined {
  if (whole <= 0n) return undefined;
  return PERCENTS.find((percent) => part * 100n >= whole * BigInt(percent));
}

const toneOf = (percent: number) =>
  percent === 95 ? "refused" : percent === 80 ? "unsettled" : "info";
