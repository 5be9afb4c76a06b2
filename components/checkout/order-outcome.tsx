import type { OrderReceipt, OrderSummary } from "@turnpike/payments/protocol";
import type { RefObject } from "react";
import { paidIn } from "@/lib/console/paid-in.ts";
import { refundedText } from "../refunds/back-text.ts";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { DefinitionList, type Definitions } from "../ui/data/definition-list.tsx";
import { createLater } from "../ui/later.ts";
import { Notice } from "../ui/notice.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { absoluteTime } from "../ui/values/time-text.ts";
import { Transaction } from "../ui/values/transaction.tsx";
import { checkoutHref } from "./order-href.ts";
import { declineTitle, type OrderState } from "./order-state.ts";
import { Unknown } from "./pay-outcomes.tsx";
import { addedText } from "./plan-price.ts";

const ConfirmPayment = createLater(() => import("./confirm-payment.tsx"), "default").Part;

export type OutcomeProps = {
  planId: string;
  planName: string;
  /** Of the link that led to the checkout; another card is tried within it. */
  session?: string | undefined;
  state: OrderState;
  order: OrderSummary;
  receipt: OrderReceipt;
  price: string;
  grant: string;
  isCard: boolean;
  isFree: boolean;
  paidWith: string;
  headingRef?: RefObject<HTMLHeadingElement | null>;
  onCheck: () => void;
  isChecking: boolean;
};

export function OrderOutcome(props: OutcomeProps) {
  const { state, order, receipt, planId, planName, isCard } = props;
  switch (state) {
    case "confirmed":
      return <Confirmed {...props} />;
    case "refunded":
      return (
        <Notice
          tone="neutral"
          title={order.disputed ? "This payment was disputed." : "This order was refunded."}
          action={<ButtonLink href={`/checkout/${planId}`}>Order again</ButtonLink>}
        >
          {order.failure?.message ?? "The payment was returned and its credits were removed."}
        </Notice>
      );
    case "failed":
      return <Failed {...props} />;
    case "unknown":
      return (
        <Unknown
          details={`order ${order.orderId}, plan ${planId}, ${receipt.status} since ${order.createdAt}`}
          action={
            <Button look="primary" isPending={props.isChecking} onClick={props.onCheck}>
              Check status
            </Button>
          }
        />
      );
    case "needs-confirmation":
      return (
        <div role="alert" className="grid gap-3">
          <Notice
            tone="unsettled"
            title="Your bank asks you to confirm this payment."
            code={receipt.code}
            action={
              order.delegationId && (
                <ButtonLink href={`/delegations/${order.delegationId}`}>View delegation</ButtonLink>
              )
            }
          >
            You are charged only after you confirm.
            {receipt.confirmBy && ` Confirm before ${absoluteTime(new Date(receipt.confirmBy))}.`}
            {order.delegationId && " To cancel the order, revoke its delegation."}
          </Notice>
          {receipt.confirmation && (
            <ConfirmPayment confirmation={receipt.confirmation} onDone={props.onCheck} />
          )}
        </div>
      );
    case "slow":
      return (
        <Notice tone="info" title="This is taking longer than usual." role="status">
          You can leave this page. The order continues, and its status is here when you come back.
        </Notice>
      );
    default:
      return (
        <p className="sr-only">
          {isCard ? "Waiting for your bank" : "The payment is being processed"}: {planName}.
        </p>
      );
  }
}

function Confirmed({
  planId,
  order,
  receipt,
  planName,
  price,
  grant,
  paidWith,
  isCard,
  isFree,
  headingRef,
}: OutcomeProps) {
  const reference = receipt.txHash ?? order.reference;
  const facts: Definitions = {
    Plan: planName,
    Paid: price,
    Refunded:
      order.refunded &&
      refundedText({
        ...order.refunded,
        currency: paidIn(order.refunded.currency, { isFiat: isCard }),
      }),
    Disputed: order.disputed && refundedText(order.disputed),
    "Payment method": paidWith,
    Date: absoluteTime(new Date(order.chargedAt ?? order.updatedAt)),
    Order: <Identifier value={order.orderId} name="order ID" />,
    [isCard ? "Payment" : "Transaction"]:
      reference !== undefined &&
      (isCard ? (
        <Identifier value={reference} name="payment ID" />
      ) : (
        <Transaction value={reference} />
      )),
  };
  return (
    <Card className="grid gap-4">
      <h2 ref={headingRef} tabIndex={-1} className="text-h2 outline-none">
        {addedText(grant)}
      </h2>
      <DefinitionList look="split" items={facts} className="border-line border-y" />
      <div className="flex flex-wrap gap-2">
        <ButtonLink look="primary" href={`/tokens/new?plan=${planId}`}>
          Mint access token
        </ButtonLink>
        <ButtonLink href={`/subscriptions/${planId}`}>View subscription</ButtonLink>
        {!isFree && (
          <ButtonLink href={`/balance/invoices/${order.orderId}`}>View invoice</ButtonLink>
        )}
      </div>
    </Card>
  );
}

function Failed({ planId, session, order, receipt, isCard, headingRef }: OutcomeProps) {
  const code = order.failure?.code ?? receipt.code ?? "declined";
  const message = order.failure?.message ?? receipt.message ?? "The payment was declined.";
  return (
    <div role="alert" className="grid gap-3">
      <h2 ref={headingRef} tabIndex={-1} className="text-h2 outline-none">
        Payment failed
      </h2>
      <Notice tone="refused" code={code} title={declineTitle(message, receipt.nextStep, isCard)}>
        You were not charged. {receipt.nextStep}
      </Notice>
      <div>
        <ButtonLink look="primary" href={checkoutHref(planId, { session })}>
          {isCard ? "Use another card" : code === "insufficient_funds" ? "Add funds" : "Try again"}
        </ButtonLink>
      </div>
    </div>
  );
}
