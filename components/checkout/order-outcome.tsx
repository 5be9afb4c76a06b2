"use client";

import type { OrderReceipt } from "@turnpike/payments/protocol";
import type { RefObject } from "react";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { type Definition, DefinitionList } from "../ui/data/definition-list.tsx";
import { createLater } from "../ui/later.ts";
import { Notice } from "../ui/notice.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { absoluteTime } from "../ui/values/time-text.ts";
import type { OrderState } from "./order-state.ts";
import { Unknown } from "./pay-outcomes.tsx";
import { yoursText } from "./plan-price.ts";

const ConfirmPayment = createLater(() =>
  import("./confirm-payment.tsx").then((it) => it.default),
).Part;

export type OutcomeProps = {
  planId: string;
  planName: string;
  state: OrderState;
  order: {
    orderId: string;
    createdAt: string;
    updatedAt: string;
    reference?: string | undefined;
    delegationId?: string | undefined;
    failure?: { code: string; message: string } | undefined;
  };
  receipt: OrderReceipt;
  /** `1.00 USDC`. */
  price: string;
  /** `100 credits`. */
  grant: string;
  isCard: boolean;
  isFree: boolean;
  /** "Visa ending 4242", or whose account. */
  paidWith: string;
  headingRef?: RefObject<HTMLHeadingElement | null>;
  onCheck: () => void;
  isChecking: boolean;
};

/** What became of an order, what it means for the money, and what to do. */
export function OrderOutcome(props: OutcomeProps) {
  const { state, order, receipt, planId, planName, isCard } = props;
  switch (state) {
    case "confirmed":
      return <Confirmed {...props} />;
    case "refunded":
      return (
        <Notice
          tone="neutral"
          title="This order was refunded."
          action={<ButtonLink href={`/checkout/${planId}`}>Order again</ButtonLink>}
        >
          {order.failure?.message ?? "The payment went back and its credits were taken back."}
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
            title="Your bank wants you to confirm this payment."
            code={receipt.code}
          >
            Nothing is charged before you do.
            {receipt.confirmBy && ` Confirm before ${absoluteTime(new Date(receipt.confirmBy))}.`}
          </Notice>
          {receipt.confirmation && (
            <ConfirmPayment confirmation={receipt.confirmation} onDone={props.onCheck} />
          )}
        </div>
      );
    case "slow":
      return (
        <Notice tone="info" title="Slower than usual." role="status">
          You can leave; the order goes on and this page shows where it stands whenever you come
          back.
        </Notice>
      );
    default:
      return (
        <p className="sr-only">
          {isCard ? "The bank is asked" : "The payment is on its way"} for {planName}.
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
  headingRef,
}: OutcomeProps) {
  const reference = receipt.txHash ?? order.reference;
  const facts: (Definition | false)[] = [
    { term: "Plan", value: planName },
    { term: "Paid", value: price },
    { term: "With", value: paidWith },
    { term: "At", value: absoluteTime(new Date(order.updatedAt)) },
    { term: "Order", value: <Identifier value={order.orderId} name="order id" /> },
    reference !== undefined && {
      term: isCard ? "Payment" : "Transaction",
      value: <Identifier value={reference} name={isCard ? "payment id" : "transaction hash"} />,
    },
  ];
  return (
    <Card className="grid gap-4">
      <h2 ref={headingRef} tabIndex={-1} className="text-h2 outline-none">
        {yoursText(grant)}
      </h2>
      <DefinitionList
        look="split"
        items={facts.filter((fact) => fact !== false)}
        className="border-line border-y"
      />
      <div className="flex flex-wrap gap-2">
        <ButtonLink look="primary" href={`/tokens/new?plan=${planId}`}>
          Mint access token
        </ButtonLink>
        <ButtonLink href={`/subscriptions/${planId}`}>See what you have</ButtonLink>
      </div>
    </Card>
  );
}

function Failed({ planId, order, receipt, isCard, headingRef }: OutcomeProps) {
  const code = order.failure?.code ?? receipt.code ?? "declined";
  const message = order.failure?.message ?? receipt.message ?? "The payment was refused.";
  return (
    <div role="alert" className="grid gap-3">
      <h2 ref={headingRef} tabIndex={-1} className="text-h2 outline-none">
        The order was not paid
      </h2>
      <Notice
        tone="refused"
        code={code}
        title={
          isCard ? `Your bank declined the card: ${message} No delegation was created.` : message
        }
      >
        You were not charged. {receipt.nextStep}
      </Notice>
      <div>
        <ButtonLink look="primary" href={`/checkout/${planId}`}>
          {isCard ? "Use another card" : code === "insufficient_funds" ? "Add funds" : "Try again"}
        </ButtonLink>
      </div>
    </div>
  );
}
