import type { Subscription } from "@turnpike/payments/protocol";
import { leftText } from "../subscriptions/subscription-text.ts";
import { Icon } from "../ui/icon.tsx";
import { NearLink } from "../ui/links/near-link.tsx";

export function PlanChoice({ subscriptions }: { subscriptions: Subscription[] }) {
  return (
    <ul className="grid max-w-180 overflow-hidden rounded-card border border-line bg-surface">
      {subscriptions.map(({ planId, planName, available, accessLimit, isActive }) => (
        <li key={planId} className="border-line not-first:border-t">
          <NearLink
            href={`/tokens/new?plan=${planId}`}
            className="flex min-h-12 items-center gap-3 px-4 py-2 text-ink no-underline -outline-offset-2 hover:bg-sunken"
          >
            <span className="wrap-anywhere min-w-0 flex-1 font-medium">{planName}</span>
            <span className="text-ink-2 text-note tabular-nums">
              {leftText({ accessLimit, available, isActive })}
            </span>
            <Icon name="right" className="size-3.5 text-ink-2" />
          </NearLink>
        </li>
      ))}
    </ul>
  );
}
