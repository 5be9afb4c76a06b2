import type { CustomerDetails, CustomerPlan } from "@/lib/console/business.ts";
import { CUSTOMER_ORDERS, CUSTOMER_TOKENS } from "@/lib/console/customer-limits.ts";
import { plural, shownOf } from "@/lib/text/plural.ts";
import { backStatus, backTexts } from "../refunds/back-text.ts";
import type { RefundActions } from "../refunds/refund-dialog.tsx";
import { RefundOrder } from "../refunds/refund-order.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { Section } from "../ui/page-header.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { exactMoney } from "../ui/values/currency-money.ts";
import { Identifier } from "../ui/values/identifier.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { planLeft } from "./plan-left.ts";

const ROW =
  "flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5 border-line py-2 not-last:border-b";

/** What each status of an order is called, as in the subscriber's list. */
const ORDER_WORDS: Record<string, string> = {
  reserved: "Processing",
  charging: "Processing",
  requires_action: "Needs confirmation",
  minted: "Paid",
  declined: "Failed",
  refunded: "Refunded",
};

const OTHERS = (
  <>
    The newest {CUSTOMER_ORDERS}. Others are in <TextLink href="/balance">Balance</TextLink>
  </>
);

type CustomerHistoryProps = {
  customer: CustomerDetails;
  refundActions: RefundActions;
};

export function CustomerHistory({ customer, refundActions }: CustomerHistoryProps) {
  const { plans, planCount, recentOrders, tokens } = customer;
  return (
    <div className="min-w-0">
      <Section
        id="customer-plans"
        title="Plans and credits"
        meta={planCount > plans.length && shownOf(plans.length, planCount, "plan")}
      >
        <ul className="grid">
          {plans.map((plan) => (
            <PlanRow key={plan.planId} plan={plan} />
          ))}
        </ul>
      </Section>
      <Section
        id="customer-orders"
        title="Orders"
        meta={recentOrders.length === CUSTOMER_ORDERS && OTHERS}
      >
        <ul className="grid">
          {recentOrders.map(({ orderId, planName, status, at, refunded, disputed, ...money }) => (
            <li key={orderId} className={ROW}>
              <span className="wrap-anywhere min-w-0">{planName}</span>
              <span className="tabular-nums">
                {money.amount === "0" ? "Free" : exactMoney(money)}
              </span>
              <p className="flex w-full flex-wrap items-center gap-x-2 gap-y-1 text-ink-2 text-note">
                <span>
                  {backStatus({ status, refunded, disputed }) ?? ORDER_WORDS[status] ?? status},
                  ordered <TimeAgo at={at} />
                </span>
                {backTexts({ refunded, disputed }).map((text) => (
                  <span key={text} className="tabular-nums">
                    {text}
                  </span>
                ))}
                <Identifier value={orderId} name="order ID" />
                {status === "minted" && money.amount !== "0" && (
                  <RefundOrder orderId={orderId} actions={refundActions} isInList />
                )}
              </p>
            </li>
          ))}
        </ul>
      </Section>
      <Section
        id="customer-tokens"
        title="Access tokens used"
        meta={tokens.length === CUSTOMER_TOKENS && `The last ${CUSTOMER_TOKENS}`}
      >
        {tokens.length === 0 && <p className="text-ink-2">No paid calls yet.</p>}
        <ul className="grid">
          {tokens.map(({ tokenId, planName, calls, lastUsedAt }) => (
            <li key={tokenId} className={ROW}>
              <Identifier value={tokenId} name="token ID" />
              <TimeAgo at={lastUsedAt} />
              <p className="w-full text-ink-2 text-note">
                {planName}, {plural(calls, "call")}
              </p>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function PlanRow({ plan }: { plan: CustomerPlan }) {
  const { planId, name, version, accessLimit, held: reserved, used, expiresAt } = plan;
  return (
    <li className={ROW}>
      <NearLink href={`/plans/${planId}`} className="link wrap-anywhere min-w-0 font-medium">
        {name}
      </NearLink>
      <span className="tabular-nums">{planLeft(plan)}</span>
      <p className="w-full text-ink-2 text-note tabular-nums">
        Version {version}
        {accessLimit === "credits" && `, ${groupDigits(used)} used`}
        {accessLimit === "credits" && reserved !== "0" && `, ${groupDigits(reserved)} reserved`}
        {expiresAt && (
          <>
            , expires <TimeAgo at={expiresAt} form="full" />
          </>
        )}
      </p>
    </li>
  );
}
