import type { Balance } from "@turnpike/payments/protocol";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";

const MOST = 100;

export const othersOf = (credits: Balance["credits"]) =>
  credits.length > MOST && (
    <>
      The first {MOST}. All are in <TextLink href="/subscriptions">Subscriptions</TextLink>
    </>
  );

/** Credits by plan; each opens the subscription with its calls. */
export function CreditList({ credits }: Pick<Balance, "credits">) {
  if (credits.length === 0) {
    return (
      <p className="text-ink-2 text-note">
        You have no credits. <TextLink href="/explore">Explore plans</TextLink>
      </p>
    );
  }
  return (
    <DefinitionList
      look="split"
      items={credits.slice(0, MOST).map(({ planId, planName, available, reserved }) => ({
        term: (
          <NearLink
            href={`/subscriptions/${planId}`}
            className="link inline-flex min-h-6 items-center"
          >
            {planName || shortenIdentifier(planId)}
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
