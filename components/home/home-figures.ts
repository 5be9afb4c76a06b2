import type { DelegationSummary, Role } from "@turnpike/payments/protocol";
import type { Earnings, Home } from "@/lib/console/figures.ts";
import { plural } from "@/lib/text/plural.ts";
import type { Figure } from "../ui/data/figures.tsx";
import { groupDigits, moneyText } from "../ui/values/money-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { whenText } from "./needs.ts";

export type FigureFacts = {
  role: Role;
  home: Home;
  /** Settled calls in the previous 24 hours; absent when they could not be read. */
  settledBefore?: number | undefined;
  /** The value of the credits earned in 24 hours. */
  worth?: Earnings["agents"][number]["worth"] | undefined;
  /** The oldest unsettled call, and the credits due for all of them. */
  oldestUnsettledAt?: string | undefined;
  creditsDue?: bigint | undefined;
  /** The delegation that expires first. */
  endsFirst?: DelegationSummary | undefined;
};

const MOST_COUNTED = 10_000;

/** The four figures of a role. */
export function homeFigures(facts: FigureFacts): Figure[] {
  const { role, home, settledBefore, oldestUnsettledAt, creditsDue = 0n, endsFirst } = facts;
  const { builder, subscriber, now } = home;
  const side = role === "builder" ? builder : subscriber;
  const credits = role === "builder" ? builder.creditsEarned24h : subscriber.creditsUsed24h;
  const ending = subscriber.delegationsEndingIn7Days;
  return [
    {
      label: "Settled calls, 24 h",
      value: groupDigits(side.settled24h),
      note:
        settledBefore === undefined
          ? undefined
          : `${groupDigits(settledBefore)}${settledBefore >= MOST_COUNTED ? " or more" : ""} the previous day`,
    },
    {
      label: "Unsettled",
      value: groupDigits(side.unsettled),
      icon: side.unsettled > 0 ? "half" : undefined,
      tone: "unsettled",
      note:
        side.unsettled > 0 ? unsettledNote(creditsDue, oldestUnsettledAt) : "All calls are settled",
    },
    {
      label: role === "builder" ? "Credits earned, 24 h" : "Credits used, 24 h",
      value: groupDigits(credits),
      note: role === "builder" ? worthNote(facts.worth) : plansNote(subscriber.subscriptions),
    },
    {
      label: "Delegations expiring within 7 days",
      value: groupDigits(ending),
      note:
        ending > 0 && endsFirst
          ? `First: ${endsFirst.name ? `“${endsFirst.name}”` : shortenIdentifier(endsFirst.delegationId)}, ${whenText(endsFirst.expiresAt, Date.parse(now))}`
          : `${groupDigits(subscriber.activeDelegations)} active`,
    },
  ];
}

function unsettledNote(creditsDue: bigint, oldestAt: string | undefined): string | undefined {
  const due = creditsDue > 0n ? `Up to ${plural(creditsDue, "credit")}` : "";
  const oldest = oldestAt ? `oldest at ${oldestAt.slice(11, 16)}` : "";
  return [due, oldest].filter(Boolean).join(", ") || undefined;
}

/** `Worth 195.00 USD and 28.80 EUR`; tokens with unknown decimals are left to the earnings page. */
export function worthNote(worth: FigureFacts["worth"]): string | undefined {
  if (!worth) return undefined;
  const known = worth.flatMap(({ amount, decimals, currency }) =>
    decimals === undefined || currency.startsWith("0x")
      ? []
      : [moneyText(amount, decimals, currency, { withCode: true })],
  );
  return known.length > 0 ? `Worth ${known.join(" and ")}` : undefined;
}

const plansNote = (count: number) => `On ${plural(count, "plan")}`;
