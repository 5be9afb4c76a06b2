import type { Balance } from "@turnpike/payments/protocol";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";

type CreditListProps = { credits: Balance["credits"]; names: ReadonlyMap<string, string> };

/** Credits by plan; each opens the subscription with its calls. */
export function CreditList({ credits, names }: CreditListProps) {
  if (credits.length === 0) return <p className="text-ink-2 text-note">You have no credits.</p>;
  return (
    <DefinitionList
      look="split"
      items={credits.map(({ planId, available, reserved }) => ({
        term: (
          <NearLink
            href={`/subscriptions/${planId}`}
            className="link inline-flex min-h-6 items-center"
          >
            {names.get(planId) ?? shortenIdentifier(planId)}
          </NearLink>
        ),
        value:
          reserved === "0"
            ? groupDigits(available)
            : `${groupDigits(available)}, ${groupDigits(reserved)} reserved`,
      }))}
    />
  );
}
