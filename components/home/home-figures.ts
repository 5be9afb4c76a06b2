import type { Role } from "@turnpike/payments/protocol";
import type { DelegationTotals } from "@/lib/console/delegation-totals.ts";
import type { Earnings, Home } from "@/lib/console/figures.ts";
import { plural } from "@/lib/text/plural.ts";
import { remainingLines } from "../delegations/delegation-figures.ts";
import { netLines, previousNote } from "../earnings/money-points.ts";
import type { Figure } from "../ui/data/figures.tsx";
import { changeNote } from "../ui/values/change-note.ts";
import { exactMoney } from "../ui/values/currency-money.ts";
import { groupDigits } from "../ui/values/money-text.ts";
import { dateText } from "../ui/values/time-text.ts";

export type FigureFacts = {
  role: Role;
  home: Home;
  /** Settled calls in the previous period, as long as the one shown; absent when they could not be read. */
  settledBefore?: number | undefined;
  /** What was sold and earned in the same period as what was settled. */
  earnings?: Pick<Earnings, "totals" | "worth"> | undefined;
  /** What the account's agents can spend. */
  delegations?: Pick<DelegationTotals, "limits" | "active"> | undefined;
};

/** What the list of recent calls says while it is empty. */
export const NO_CALLS: Record<Role, string> = {
  builder: "Calls appear here once your agent has received one.",
  subscriber: "Calls you make appear here.",
};

const MOST_COUNTED = 10_000;
const PREVIOUS = "in the previous period";

export function homeFigures(facts: FigureFacts): Figure[] {
  const { role, home, settledBefore } = facts;
  const { builder, subscriber } = home;
  const isBuilder = role === "builder";
  const side = isBuilder ? builder : subscriber;
  return [
    {
      label: "Settled calls, 24 h",
      value: groupDigits(side.settled24h),
      note:
        settledBefore === undefined
          ? undefined
          : settledBefore >= MOST_COUNTED
            ? `${groupDigits(settledBefore)} or more ${PREVIOUS}`
            : changeNote({ amount: side.settled24h, previous: settledBefore }, PREVIOUS),
    },
    {
      label: "Unsettled",
      value: groupDigits(side.unsettled),
      icon: side.unsettled > 0 ? "half" : undefined,
      tone: "unsettled",
      note:
        side.unsettled === 0
          ? "All calls are settled"
          : isBuilder
            ? unsettledNote(builder)
            : undefined,
    },
    {
      label: isBuilder ? "Credits earned, 24 h" : "Credits used, 24 h",
      value: groupDigits(isBuilder ? builder.creditsEarned24h : subscriber.creditsUsed24h),
      note: isBuilder ? worthNote(facts.earnings?.worth) : plansNote(subscriber.subscriptions),
    },
    isBuilder ? soldFigure(facts.earnings?.totals) : spendableFigure(facts),
  ];
}

const soldFigure = (totals: Earnings["totals"] | undefined): Figure => ({
  label: "Sold after refunds, 24 h",
  value: totals ? netLines(totals) : "–",
  note: totals && previousNote(totals, PREVIOUS),
});

const spendableFigure = ({ delegations }: FigureFacts): Figure => ({
  label: "Agents can still spend",
  value: delegations ? remainingLines(delegations) : "–",
  note: delegations && plural(delegations.active, "active delegation"),
});

function unsettledNote({ creditsDue, oldestUnsettledAt }: Home["builder"]): string | undefined {
  const due = creditsDue === "0" ? "" : `Up to ${plural(BigInt(creditsDue), "credit")}`;
  const oldest = oldestUnsettledAt
    ? `${due ? "oldest" : "Oldest"} ${dateText(new Date(oldestUnsettledAt))}`
    : "";
  return [due, oldest].filter(Boolean).join(", ") || undefined;
}

/** `Worth 195.00 USDC and 28.80 EUR`. */
export const worthNote = (worth: Earnings["worth"] | undefined): string | undefined =>
  worth && worth.length > 0 ? `Worth ${worth.map(exactMoney).join(" and ")}` : undefined;

const plansNote = (count: number) => `On ${plural(count, "plan")}`;
