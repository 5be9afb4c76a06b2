import { notFound } from "next/navigation";
import { CheckoutFrame } from "@/components/checkout/checkout-frame.tsx";
import { OrderProgress } from "@/components/checkout/order-progress.tsx";
import { measureUsual } from "@/components/checkout/order-state.ts";
import { grantText, orderedTerms, priceText } from "@/components/checkout/plan-price.ts";
import { PlanSummary } from "@/components/checkout/plan-summary.tsx";
import { accountText } from "@/components/delegations/delegation-text.ts";
import { cardText } from "@/components/payment-methods/card-text.ts";
import { RequestRefund } from "@/components/refunds/request-refund.tsx";
import type { Routed, Searched } from "@/components/search-params.ts";
import { getRunning } from "@/lib/server/running.ts";
import { read } from "../../../_session/operations.ts";
import { requireSession } from "../../../_session/session.ts";
import { requestRefund } from "../../../(dashboard)/balance/refund-actions.ts";
import { PlanRenewal } from "../../../(dashboard)/subscriptions/plan-renewal.tsx";
import { readPurchase } from "../../read-checkout.ts";
import { SalesNotice } from "../../sales-notice.tsx";
import { readSessionId } from "../../session-id.ts";

export const metadata = { title: "Order", robots: { index: false } };

type OrderPageProps = Routed<"planId" | "orderId"> & Searched<{ session?: string | string[] }>;

export default async function OrderPage({ params, searchParams }: OrderPageProps) {
  const { planId, orderId } = await params;
  const session = readSessionId((await searchParams).session);
  const { account } = await requireSession();
  const [{ ports, chain }, receipt, purchase, minted, found] = await Promise.all([
    getRunning(),
    read("getOrder", { orderId }),
    readPurchase(planId),
    read("listOrders", { status: "minted", limit: 100 }),
    read("listOrders", { planId, orderId, limit: 1 }),
  ]);
  const [order] = found.items;
  if (!order) return notFound();
  const { agents } = purchase;
  const { plan, price } = orderedTerms(purchase.plan, order, chain.deployment.usdc);
  const now = await ports.clock.now();
  const paidWith = await paidWithText(order.providerPaymentMethodId, account.address);
  const isCard = price.isCard;
  const isRefundable = !price.isFree && ["minted", "refunded"].includes(order.status);
  const [refunds, refundable] = await Promise.all([
    read("listRefunds", { role: "subscriber", orderId, limit: 10 }),
    isRefundable ? read("getRefundable", { orderId }) : undefined,
  ]);
  return (
    <CheckoutFrame
      title={`Order of “${plan.metadata.main.name}”`}
      isPlaced
      lead={`${grantText(plan)} for calls to ${agents[0]?.metadata.main.name ?? "its agents"}.`}
      summary={
        <PlanSummary
          plan={plan}
          price={price}
          agents={agents.map(({ metadata }) => metadata.main.name)}
          {...(isCard && { paidWith })}
        />
      }
    >
      {!price.isFree && <SalesNotice />}
      <OrderProgress
        planId={planId}
        session={session}
        planName={plan.metadata.main.name}
        order={order}
        receipt={receipt}
        price={priceText(price)}
        grant={grantText(plan)}
        isCard={isCard}
        isFree={price.isFree}
        isOwnWallet={account.ownerKey === null}
        paidWith={paidWith}
        usual={measureUsual(minted.items.filter(({ scheme }) => scheme === order.scheme))}
        now={now.toISOString()}
      />
      {order.status === "minted" && <PlanRenewal plan={purchase.plan} />}
      {isRefundable && (
        <RequestRefund
          subject={{ orderId }}
          refundable={refundable}
          refunds={refunds.items}
          requestRefund={requestRefund}
        />
      )}
    </CheckoutFrame>
  );
}

async function paidWithText(paymentMethodId: string | undefined, address: string): Promise<string> {
  if (!paymentMethodId) return accountText(address);
  const cards = await read("listPaymentMethods", {});
  const card = cards.find(({ id }) => id === paymentMethodId);
  return card ? cardText(card) : "Removed card";
}
