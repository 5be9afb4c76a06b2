"use client";

import type { Refund } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { RadioGroup } from "../ui/fields/radio-group.tsx";
import { Notice } from "../ui/notice.tsx";
import { ActionDialog } from "../ui/overlays/dialog.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { REFUND_STATES, refundText } from "./refund-text.ts";

const REASONS = ["It did not work", "Bought by mistake", "No longer needed", "Charged twice"];

export type RequestRefundAction = OperationAction<"requestRefund">;

type RequestRefundProps = {
  /** What is to be refunded: an order or a settled call. */
  subject: { orderId: string } | { agentRequestId: string };
  /** Requests and refunds of it so far, newest first. */
  refunds: Refund[];
  requestRefund: RequestRefundAction;
};

/** Asks the builder for a refund: a reason is chosen already, so that it takes two clicks. */
export function RequestRefund({ subject, refunds, requestRefund }: RequestRefundProps) {
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState(REASONS[0] ?? "");
  const operation = useOperation();
  const isWaiting = refunds.some(
    ({ status, agentRequestId }) => status === "requested" || (agentRequestId && status === "paid"),
  );
  const ask = () =>
    operation.run(
      () => requestRefund({ ...subject, reason }),
      () => {
        setOpen(false);
        router.refresh();
      },
    );
  return (
    <div className="grid gap-3">
      {refunds.map((refund) => (
        <RefundNotice key={refund.refundId} refund={refund} />
      ))}
      {!isWaiting && (
        <div>
          <Button onClick={() => setOpen(true)}>Request refund</Button>
        </div>
      )}
      {isOpen && (
        <ActionDialog
          onClose={() => setOpen(false)}
          title="Request a refund"
          description="The builder has 14 days to answer. Your credits stay until they accept."
          verb="Send request"
          action={{ isPending: operation.isPending, onClick: () => void ask() }}
        >
          <RadioGroup
            label="Reason"
            options={REASONS.map((value) => ({ value, label: value }))}
            value={reason}
            onValueChange={setReason}
          />
          <FailureNotice title="The request was not sent." of={operation} />
        </ActionDialog>
      )}
    </div>
  );
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
          The builder has to answer until <TimeAgo at={expiresAt} form="full" />.
        </>
      )}
    </Notice>
  );
}
