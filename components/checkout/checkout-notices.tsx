import type { OrderStatus } from "@turnpike/payments/protocol";
import { ButtonLink } from "../ui/button-link.tsx";
import { SegmentedLinks } from "../ui/fields/segmented-control.tsx";
import { Notice } from "../ui/notice.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { dateText } from "../ui/values/time-text.ts";

type Rail = { planId: string; price: string; isCard: boolean };

/** Tabs for two plans of one agent that grant the same, one by card and one on chain. */
export function Rails({ here, there }: { here: Rail; there: Rail }) {
  const rails = here.isCard ? [there, here] : [here, there];
  return (
    <div className="*:flex *:w-full [&_a]:flex-1">
      <SegmentedLinks
        label="Pay with"
        links={rails.map((rail) => ({
          href: `/checkout/${rail.planId}`,
          isCurrent: rail === here,
          label: (
            <>
              {rail.isCard ? "Card" : "Stablecoin"}{" "}
              <span className="font-normal tabular-nums">{rail.price}</span>
            </>
          ),
        }))}
      />
    </div>
  );
}

type Other = { planId: string; name: string; price: string; grant: string };

/** Says that an account has already ordered this trial, and offers other plans. */
export function TrialUsed({ at, planId, others }: { at: string; planId: string; others: Other[] }) {
  const [next, ...rest] = others;
  return (
    <div className="grid gap-4">
      <Notice
        tone="neutral"
        title={`Trial plans can be ordered once. You ordered this on ${dateText(new Date(at))}.`}
        action={<ButtonLink href={`/subscriptions/${planId}`}>View subscription</ButtonLink>}
      />
      {next && (
        <section aria-labelledby="others" className="grid gap-3">
          <h2 id="others" className="text-h2">
            Other plans
          </h2>
          <ul className="grid gap-2">
            {[next, ...rest].map((other) => (
              <li
                key={other.planId}
                className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-surface p-4"
              >
                <span className="min-w-0 flex-1">
                  <b className="wrap-anywhere block font-semibold">{other.name}</b>
                  <span className="text-ink-2 text-note">{other.grant}</span>
                </span>
                <span className="tabular-nums">{other.price}</span>
                <ButtonLink
                  href={`/checkout/${other.planId}`}
                  look={other === next ? "primary" : "plain"}
                  aria-label={`Order ${other.name}`}
                >
                  Order plan
                </ButtonLink>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

const RECENT_MS = 600_000;

type Earlier = { orderId: string; status: OrderStatus; createdAt: string };

/** Warns a subscriber who ordered this plan minutes ago. */
export function EarlierOrder({
  order,
  planId,
  now,
}: {
  order: Earlier;
  planId: string;
  now: string;
}) {
  const isRecent = Date.parse(now) - Date.parse(order.createdAt) < RECENT_MS;
  if (!isRecent || (order.status !== "minted" && order.status !== "declined")) return null;
  const isPaid = order.status === "minted";
  return (
    <Notice
      tone={isPaid ? "info" : "refused"}
      title={
        <>
          {isPaid ? "You ordered this plan" : "The payment for your last order failed"}{" "}
          <TimeAgo at={order.createdAt} now={now} />.
        </>
      }
      action={
        <ButtonLink size="small" href={`/checkout/${planId}/${order.orderId}`}>
          View order
        </ButtonLink>
      }
    >
      {isPaid ? "Paying again orders it a second time." : "You were not charged."}
    </Notice>
  );
}
