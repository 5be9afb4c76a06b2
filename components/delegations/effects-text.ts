import type { DelegationSummary } from "@turnpike/payments/protocol";
import type { DelegationEffects } from "@/lib/console/delegation-effects.ts";
import type { Effect } from "../ui/overlays/dialog.tsx";
import { moneyText } from "../ui/values/money-text.ts";

const CENTS = 2;
const MOST_NAMES = 3;

/** What stops with a delegation, line by line, before it does. */
export function effectsOf(
  effects: DelegationEffects,
  { amountReservedCents, currency }: Pick<DelegationSummary, "amountReservedCents" | "currency">,
): Effect[] {
  const { tokensEnding, tokens, agents, apiKeys, requestsUnderWay } = effects;
  const reserved = BigInt(amountReservedCents);
  const lines: (Effect | false)[] = [
    {
      icon: "key",
      title:
        tokensEnding === 0
          ? "No access token depends on it"
          : `${tokensEnding} access ${tokensEnding === 1 ? "token stops" : "tokens stop"} now`,
      ...(tokensEnding > 0 && {
        detail: `The next call with ${listed(
          tokens.map(({ tokenId }) => `…${tokenId.slice(-6)}`),
          "or",
        )} is refused.`,
      }),
    },
    agents.length > 0 && {
      icon: "agents",
      title: `${agents.length} ${agents.length === 1 ? "agent loses its" : "agents lose their"} payer`,
      detail: `${listed(
        agents.map(({ name }) => name),
        "and",
      )}.`,
    },
    apiKeys.length > 0 && {
      icon: "code",
      title: `${apiKeys.length} API ${apiKeys.length === 1 ? "key mints" : "keys mint"} no more tokens by itself`,
      detail: `${listed(
        apiKeys.map(({ name }) => name),
        "and",
      )}.`,
    },
    requestsUnderWay > 0 && {
      icon: "half",
      title: `${requestsUnderWay} ${requestsUnderWay === 1 ? "call" : "calls"} in flight may still settle`,
      detail: "They were let in before. Nothing new can be held.",
    },
    reserved > 0n && {
      icon: "clock",
      title: `An order of ${moneyText(reserved, CENTS, currency)} is not known yet`,
      detail: "It may still go through. The amount stays reserved until it is known.",
    },
    {
      icon: "check",
      title: "Your credits stay yours",
      detail: "Credits you ordered are not touched. A new delegation can use them.",
    },
  ];
  return lines.filter((line) => line !== false);
}

/** `a, b or c`; `a, b, c and 4 more`. */
export function listed(names: string[], last: "and" | "or"): string {
  const shown = names.slice(0, MOST_NAMES);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(", ")} and ${rest} more`;
  if (shown.length < 2) return shown.join("");
  return `${shown.slice(0, -1).join(", ")} ${last} ${shown.at(-1)}`;
}
