import type { CardRemoval, Renewal } from "@turnpike/payments/protocol";
import { plural, pluralWord } from "@/lib/text/plural.ts";
import { renewalEffect } from "../delegations/effects-text.ts";
import type { Effect } from "../ui/overlays/dialog.tsx";
import { minorText } from "../ui/values/money-text.ts";

/** What removing a card will do, one line each. */
export function removalEffects(
  { delegations, tokens }: CardRemoval,
  renewals: Pick<Renewal, "delegationId" | "planName">[],
): Effect[] {
  const left = new Map<string, bigint>();
  for (const { currency, remainingBudgetCents } of delegations) {
    left.set(currency, (left.get(currency) ?? 0n) + BigInt(remainingBudgetCents));
  }
  const money = [...left].map(([currency, cents]) => minorText(cents, currency)).join(" + ");
  const count = delegations.length;
  return [
    {
      icon: "gauge",
      title:
        count === 0
          ? "No delegation charges this card"
          : `${plural(count, "delegation")} ${pluralWord(count, "is", "are")} revoked`,
      ...(count > 0 && { detail: `${money} left to spend.` }),
    },
    {
      icon: "key",
      title:
        tokens.length === 0
          ? "No access token depends on it"
          : `${plural(tokens.length, "access token")} ${pluralWord(tokens.length, "stops", "stop")} working`,
    },
    ...renewalEffect(
      renewals
        .filter(({ delegationId }) =>
          delegations.some((each) => each.delegationId === delegationId),
        )
        .map(({ planName }) => planName),
    ),
    { icon: "check", title: "You keep your credits" },
  ];
}
