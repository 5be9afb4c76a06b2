import type { Approval, BudgetPeriod, Budgets } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { minorText } from "../ui/values/money-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import type { State } from "../ui/values/state-pill.tsx";

export type Limit = Budgets["limits"][number];

const PERIODS: Record<BudgetPeriod, string> = {
  call: "Per call",
  day: "Today",
  week: "This week",
  month: "This month",
};

const centsText = (cents: string, currency: string): string => minorText(cents, currency);

/** An amount of a limit in its unit: `20.00 USD`, `500 credits`. */
export const amountIn = (
  { unit }: Pick<Limit, "unit">,
  amount: string,
  currency: string,
): string => (unit === "money" ? centsText(amount, currency) : plural(BigInt(amount), "credit"));

/** What limits of money count, in `currency`: one, or two that count together (`USD/USDC`). */
export function countsText(currency: string): string {
  const [one, other] = currency.toUpperCase().split("/");
  const counted = other ? `${one} and ${other} together, 1 to 1` : one;
  return `Limits count ${counted}. While one is set, plans in other currencies can’t be ordered.`;
}

export const nameOfLimit = ({ period, builder, agentId }: Limit): string =>
  [
    PERIODS[period],
    builder && `builder ${shortenIdentifier(builder)}`,
    agentId && `agent ${shortenIdentifier(agentId)}`,
  ]
    .filter(Boolean)
    .join(", ");

/** What will happen at the rate so far; undefined while there is too little to say. */
export function forecastText(limit: Limit, currency: string): string | undefined {
  const { forecast, startedAt, resetsAt, used } = limit;
  if (forecast === undefined || !startedAt || !resetsAt) return undefined;
  if (BigInt(used) >= BigInt(limit.limit)) return "Used up";
  if (BigInt(forecast) <= BigInt(limit.limit)) {
    return `${amountIn(limit, forecast, currency)} by the reset at this rate`;
  }
  const length = BigInt(Date.parse(resetsAt) - Date.parse(startedAt));
  const reached = Date.parse(startedAt) + Number((BigInt(limit.limit) * length) / BigInt(forecast));
  return `Used up ${momentOf(reached)} at this rate`;
}

/** A moment of UTC: `23 Nov, 14:00 UTC`. */
export const momentOf = (at: string | number): string =>
  `${new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
  }).format(new Date(at))} UTC`;

export const REASONS: Record<Approval["reason"], string> = {
  amount: "Above your approval threshold",
  "new-builder": "You have not paid this builder before",
  "outside-hours": "Sent outside the allowed hours",
};

export const APPROVAL_STATES: Record<Approval["status"], State> = {
  pending: { word: "Waiting", tone: "warn" },
  approved: { word: "Approved", tone: "good" },
  used: { word: "Approved and used", tone: "good" },
  declined: { word: "Declined", tone: "bad" },
  expired: { word: "Expired", tone: "neutral" },
};

/** What a request may cost at most: an order, credits, or both. */
export function costText({ maxCents, currency, maxCredits }: Approval): string {
  const parts = [
    BigInt(maxCents) > 0n && centsText(maxCents, currency ?? "usd"),
    BigInt(maxCredits) > 0n && plural(BigInt(maxCredits), "credit"),
  ].filter(Boolean);
  return parts.join(" and ") || "Nothing";
}
