import type { DelegationAlert, DelegationTotals } from "@/lib/console/delegation-totals.ts";
import { DAY_MS } from "@/lib/text/durations.ts";
import { plural, pluralWord } from "@/lib/text/plural.ts";
import type { IconName } from "../ui/icon.tsx";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { nameOf, whenText } from "./delegation-text.ts";
import { listed } from "./effects-text.ts";

/** One problem, of one delegation or of several, with the button that ends it. */
export type AlertLine = {
  key: string;
  /** The larger, the more urgent. */
  harm: number;
  icon: IconName;
  tone: "unsettled";
  title: string;
  detail: string;
  action: { label: string; href: string };
};

/** The alerts of an account's delegations; delegations with the same problem share a line. */
export const alertsOf = ({ now, alerts }: Pick<DelegationTotals, "now" | "alerts">): AlertLine[] =>
  alerts.flatMap((alert) => {
    const [first] = alert.delegations;
    return first ? [lineOf(alert, first, new Date(now))] : [];
  });

type First = DelegationAlert["delegations"][number];

function lineOf(alert: DelegationAlert, first: First, now: Date): AlertLine {
  const { kind, count } = alert;
  const isOne = count === 1;
  const name = first.name ? `“${first.name}”` : nameOf(first);
  const begins = `First: ${name}, ${whenText(first.expiresAt, now)} UTC. `;
  const line = {
    // A dismissed line returns when another delegation has the same problem.
    key: `${kind}.${count}.${first.delegationId}`,
    tone: "unsettled" as const,
    action: isOne
      ? { label: "Renew", href: `/delegations/new?from=${first.delegationId}` }
      : { label: "Review", href: "/delegations?show=active" },
  };
  switch (kind) {
    case "signature":
      return {
        ...line,
        harm: 60,
        icon: "edit",
        title: isOne ? `${name} needs your signature` : `${count} delegations need your signature`,
        detail: `${isOne ? "It" : "They"} can’t be used until you sign.`,
        action: isOne
          ? { label: "Sign", href: `/delegations/${first.delegationId}` }
          : { label: "Review", href: "/delegations" },
      };
    case "time":
      return {
        ...line,
        harm: Date.parse(first.expiresAt) - now.getTime() < DAY_MS ? 70 : 40,
        icon: "clock",
        title: isOne
          ? `${name} expires ${whenText(first.expiresAt, now)} UTC`
          : `${count} delegations expire soon`,
        detail: (isOne ? "" : begins) + tokensText(alert),
      };
    case "money":
      return {
        ...line,
        harm: 50,
        icon: "gauge",
        title: isOne
          ? `${name} has used ${first.usedPercent}% of its limit`
          : `${count} delegations have used 80% or more of their limit`,
        detail: "Calls that need a top-up are declined once a limit is reached.",
      };
    case "charges":
      return {
        ...line,
        harm: 50,
        icon: "gauge",
        title: isOne
          ? `${name} has used ${first.usedPercent}% of its charges`
          : `${count} delegations have used 80% or more of their charges`,
        detail: "Calls that need a top-up are declined after the last charge.",
      };
  }
}

/** `2 access tokens stop working then: …a1b2c3 (Starter) and …d4e5f6 (Pro).` */
function tokensText({ tokensEnding, tokens }: DelegationAlert): string {
  if (tokensEnding === 0) return "No active access token lasts until then.";
  const names = tokens.map(
    ({ tokenId, planName }) => `${shortenIdentifier(tokenId)} (${planName})`,
  );
  const rest = tokensEnding - tokens.length;
  return `${plural(tokensEnding, "access token")} ${pluralWord(tokensEnding, "stops", "stop")} working then: ${rest > 0 ? `${names.join(", ")} and ${rest} more` : listed(names, "and")}.`;
}
