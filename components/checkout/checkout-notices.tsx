import type { OrderStatus } from "@turnpike/payments/protocol";
import { ArchivedNotice } from "../plans/archived-notice.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Notice } from "../ui/notice.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { dateText } from "../ui/values/time-text.ts";

type Product = { planId: string; name: string; price: string; grant: string; balance: string };

/** Two plans of one agent that grant the same and are paid differently: two prices, two balances. */
export function TwoPlans({ here, there }: { here: Product; there: Product }) {
  return (
    <section aria-labelledby="two-plans" className="grid gap-2">
      <h2 id="two-plans" className="text-label">
        Two ways to pay
      </h2>
      <p className="text-ink-2 text-note">
        Credits and access tokens of one plan don’t work with the other.
      </p>
      <ul className="rounded-card border border-line bg-surface">
        {[here, there].map(({ planId, name, price, grant, balance }) => (
          <li
            key={planId}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line p-3 not-first:border-t"
          >
            <span className="w-full min-w-0 sm:w-auto sm:flex-1">
              <b className="wrap-anywhere block font-semibold">{name}</b>
              <span className="text-ink-2 text-note">
                {grant}. You have {balance}.
              </span>
            </span>
            <span className="tabular-nums">{price}</span>
            {planId === here.planId ? (
              <span className="text-ink-2 text-note">This order</span>
            ) : (
              <ButtonLink
                size="small"
                href={`/checkout/${planId}`}
                aria-label={`Order plan “${name}”`}
              >
                Order plan
              </ButtonLink>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A link's session can't be paid any more by it. */
export const LinkExpired = () => (
  <Notice tone="refused" title="This payment link has expired">
    Nothing was charged. Go back to where you got it, and ask for a new link.
  </Notice>
);

type Other = Omit<Product, "balance">;

/** Why a plan can't be ordered: when this account ordered its trial, or that the plan is archived. */
type Closed = { trialOrderedAt: string } | "archived";

type CannotOrderProps = { why: Closed; planId: string; hasOrdered: boolean; others: Other[] };

/** Says why this plan can't be ordered and what stays usable, and offers other plans. */
export function CannotOrder({ why, planId, hasOrdered, others }: CannotOrderProps) {
  const [next, ...rest] = others;
  const view = hasOrdered && {
    action: <ButtonLink href={`/subscriptions/${planId}`}>View subscription</ButtonLink>,
  };
  return (
    <div className="grid gap-4">
      {why === "archived" ? (
        <ArchivedNotice {...view} />
      ) : (
        <Notice
          tone="neutral"
          title={`Trial plans can be ordered once. You ordered this on ${dateText(new Date(why.trialOrderedAt))}.`}
          {...view}
        />
      )}
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
                <span className="min-w-0 flex-1 max-sm:basis-full">
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

type EarlierOrderProps = {
  order: Earlier;
  planId: string;
  now: string;
};

/** Warns a subscriber who ordered this plan minutes ago. */
export function EarlierOrder({ order, planId, now }: EarlierOrderProps) {
  const isRecent = Date.parse(now) - Date.parse(order.createdAt) < RECENT_MS;
  if (!isRecent || (order.status !== "minted" && order.status !== "declined")) return null;
  const isPaid = order.status === "minted";
  return (
    <Notice
      tone={isPaid ? "info" : "refused"}
      title={
        <>
          {isPaid ? "You ordered this plan" : "The payment for your last order failed"}{" "}
          <TimeAgo at={order.createdAt} />.
        </>
      }
      action={
        <ButtonLink size="small" href={`/checkout/${planId}/${order.orderId}`}>
          View order
        </ButtonLink>
      }
    >
      {isPaid ? "Paying now places a second order." : "You were not charged."}
    </Notice>
  );
}

/** After a try to pay whose answer was lost. It may still be under way: paying again repeats the same order. */
export function NoOrderYet() {
  return (
    <Notice tone="info" title="Your last attempt has not created an order yet">
      If you order now, you are charged at most once, even if that attempt still arrives.
    </Notice>
  );
}
