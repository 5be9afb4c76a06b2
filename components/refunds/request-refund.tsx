"use client";

import type { Refund, Refundable } from "@turnpike/payments/protocol";
import { useRef, useState } from "react";
import type { OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { createNonces } from "../forms/new-nonce.ts";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { RadioGroup, type RadioOption } from "../ui/fields/radio-group.tsx";
import { Notice } from "../ui/notice.tsx";
import { ActionDialog } from "../ui/overlays/dialog.tsx";
import { currencyMoney } from "../ui/values/currency-money.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { REFUND_STATES, refundText } from "./refund-text.ts";

const REASONS = ["It didn’t work", "Bought by mistake", "No longer needed", "Charged twice"];

type RequestRefundAction = OperationAction<"requestRefund">;

type RequestRefundProps = {
  /** What is to be refunded: an order or a settled call. */
  subject: { orderId: string } | { agentRequestId: string };
  refundable?: Refundable | undefined;
  /** Requests and refunds of it so far, newest first. */
  refunds: Refund[];
  requestRefund: RequestRefundAction;
};

/** Asks the builder for a refund: a reason is chosen already, so that it takes two clicks. */
export function RequestRefund({ subject, refundable, refunds, requestRefund }: RequestRefundProps) {
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState(REASONS[0] ?? "");
  const [part, setPart] = useState("unused");
  const operation = useOperation();
  // The same request is sent under one key however often, also after the dialog was closed without an answer.
  const keyOf = useRef(createNonces());
  const parts = refundable ? partsOf(refundable) : [];
  const isDone = refundable?.left === "0";
  const isWaiting = refunds.some(
    ({ status, agentRequestId }) => status === "requested" || (agentRequestId && status === "paid"),
  );
  const ask = () => {
    const input = { ...subject, reason, ...(refundable && amountOf(refundable, part)) };
    return operation.run(
      () => requestRefund({ ...input, idempotencyKey: keyOf.current(input) }),
      () => setOpen(false),
    );
  };
  return (
    <div className="grid gap-3">
      {refunds.map((refund) => (
        <RefundNotice key={refund.refundId} refund={refund} />
      ))}
      {!isWaiting && !isDone && (
        <div>
          <Button onClick={() => setOpen(true)}>Request refund</Button>
        </div>
      )}
      {isOpen && (
        <ActionDialog
          onClose={() => setOpen(false)}
          title="Request a refund"
          description={descriptionOf(refundable)}
          verb="Send request"
          action={{ isPending: operation.isPending, onClick: () => void ask() }}
        >
          {parts.length > 1 && (
            <RadioGroup
              label="What to refund"
              options={parts}
              value={part}
              onValueChange={setPart}
            />
          )}
          <RadioGroup
            label="Reason"
            options={REASONS.map((value) => ({ value, label: value }))}
            value={reason}
            onValueChange={setReason}
          />
          <FailureNotice
            title="The request was not sent."
            unknown="You can send the same request again: it is made only once. To change it, first reload the page to see whether it arrived."
            of={operation}
          />
        </ActionDialog>
      )}
    </div>
  );
}

const ANSWERED = "The builder has 14 days to answer. Your credits stay until they accept.";

const hasUnused = ({ unused }: Refundable) => unused !== "0";

/** Who decides: the plan's rule at once, or the builder. */
function descriptionOf(refundable: Refundable | undefined) {
  if (!refundable?.promisedUntil || !hasUnused(refundable)) return ANSWERED;
  return (
    <>
      Requests for what you haven’t used are approved automatically until{" "}
      <TimeAgo at={refundable.promisedUntil} form="full" />.
    </>
  );
}

/** What can be asked for, where that is more than one amount. */
function partsOf(refundable: Refundable): RadioOption[] {
  const { left, unused, currency, refunded, promisedUntil } = refundable;
  if (!hasUnused(refundable) || unused === left) return [];
  return [
    {
      value: "unused",
      label: "Unused part",
      aside: currencyMoney(unused, currency),
      ...(promisedUntil && { detail: "Refunded immediately." }),
    },
    {
      value: "whole",
      label: refunded === "0" ? "Whole order" : "Everything that is left",
      aside: currencyMoney(left, currency),
      ...(promisedUntil && { detail: ANSWERED }),
    },
  ];
}

/** The amount that the choice shows: without one, a promise that ends while the dialog is open would make it the whole order. */
function amountOf(refundable: Refundable, part: string): { amount?: string } {
  const { left, unused } = refundable;
  if (!hasUnused(refundable)) return {};
  return { amount: part === "whole" ? left : unused };
}

const TITLES: Record<Refund["status"], string> = {
  requested: "Refund requested",
  declined: "Refund declined",
  open: "Refund on its way",
  paid: "Refunded",
  refused: "The refund failed",
};

function RefundNotice({ refund }: { refund: Refund }) {
  const { status, message, failure, expiresAt } = refund;
  const tone = REFUND_STATES[status].tone === "bad" ? "refused" : "neutral";
  return (
    <Notice tone={tone} title={`${TITLES[status]}: ${refundText(refund)}`}>
      {message ?? failure?.message}
      {expiresAt && (
        <>
          The builder has until <TimeAgo at={expiresAt} form="full" /> to respond.
        </>
      )}
    </Notice>
  );
}
