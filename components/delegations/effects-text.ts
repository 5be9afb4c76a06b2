import type { DelegationSummary, Renewal } from "@turnpike/payments/protocol";
import type { DelegationEffects } from "@/lib/console/delegation-effects.ts";
import type { DelegationTotals } from "@/lib/console/delegation-totals.ts";
import { plural, pluralWord } from "@/lib/text/plural.ts";
import type { Effect } from "../ui/overlays/dialog.tsx";
import { minorText } from "../ui/values/money-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { unitOf } from "./delegation-text.ts";

const MAX_NAMES = 3;

export type Revoked = { delegationsRevoked: number; tokensRevoked: number };

export const revokedText = ({ delegationsRevoked, tokensRevoked }: Revoked): string =>
  `Revoked ${plural(delegationsRevoked, "delegation")} and ${plural(tokensRevoked, "token")}`;

/** What revoking every delegation will do, one line each. */
export const revokeAllEffects = (
  { open, activeTokens }: Pick<DelegationTotals, "open" | "activeTokens">,
  renewals: Pick<Renewal, "planName" | "state" | "obstacle">[],
): Effect[] => [
  {
    icon: "gauge",
    title: `${plural(open, "delegation")} ${pluralWord(open, "stops", "stop")} working`,
    detail:
      "An agent can create new ones with its API key. To stop an agent, revoke its key as well.",
  },
  {
    icon: "key",
    title: `${plural(activeTokens, "access token")} ${pluralWord(activeTokens, "stops", "stop")} working`,
    detail: "Calls in progress may still settle.",
  },
  ...renewalEffect(
    renewals
      .filter(({ state, obstacle }) => state === "on" && obstacle?.code !== "delegation_revoked")
      .map(({ planName }) => planName),
  ),
  { icon: "check", title: "You keep your credits" },
];

/** What revoking a delegation will do, one line each. */
export function effectsOf(
  effects: DelegationEffects,
  delegation: Pick<DelegationSummary, "amountReservedCents" | "currency" | "provider">,
): Effect[] {
  const { tokensEnding, tokens, agents, apiKeys, renewals, requestsUnderWay } = effects;
  const reserved = BigInt(delegation.amountReservedCents);
  const lines: (Effect | false)[] = [
    {
      icon: "key",
      title:
        tokensEnding === 0
          ? "No access token depends on it"
          : `${plural(tokensEnding, "access token")} ${pluralWord(tokensEnding, "stops", "stop")} working`,
      ...(tokensEnding > 0 && {
        detail: `Calls with ${listed(
          tokens.map(({ tokenId }) => shortenIdentifier(tokenId)),
          "or",
        )} are declined.`,
      }),
    },
    agents.length > 0 && {
      icon: "agents",
      title: `Calls to ${plural(agents.length, "agent")} stop`,
      detail: `${listed(
        agents.map(({ name }) => name),
        "and",
      )}.`,
    },
    apiKeys.length > 0 && {
      icon: "code",
      title: `${plural(apiKeys.length, "API key")} can no longer mint tokens`,
      detail: `${listed(
        apiKeys.map(({ name }) => name),
        "and",
      )}.`,
    },
    ...renewalEffect(renewals.map(({ name }) => name)),
    requestsUnderWay > 0 && {
      icon: "half",
      title: `${plural(requestsUnderWay, "call")} in progress may still settle`,
      detail: "Their credits are already reserved. New calls are declined.",
    },
    reserved > 0n && {
      icon: "clock",
      title: `An order of ${minorText(reserved, unitOf(delegation))} is still processing`,
      detail: "It may still go through. The amount stays reserved until then.",
    },
    {
      icon: "check",
      title: "You keep your credits",
      detail: "You can use them with a new delegation.",
    },
  ];
  return lines.filter((line) => line !== false);
}

/** The plans that no longer renew without the delegation or card that pays for them. */
export const renewalEffect = (planNames: string[]): Effect[] =>
  planNames.length === 0
    ? []
    : [
        {
          icon: "clock",
          title: `The renewal of ${listed(planNames, "and")} can no longer be paid`,
          detail: "Access ends with the time you paid for, unless you choose another delegation.",
        },
      ];

/** `a, b or c`; `a, b, c and 4 more`. */
export function listed(names: string[], last: "and" | "or"): string {
  const shown = names.slice(0, MAX_NAMES);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(", ")} and ${rest} more`;
  if (shown.length < 2) return shown.join("");
  return `${shown.slice(0, -1).join(", ")} ${last} ${shown.at(-1)}`;
}
