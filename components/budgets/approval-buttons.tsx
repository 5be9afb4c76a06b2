"use client";

import type { Approval } from "@turnpike/payments/protocol";
import { useRef } from "react";
import type { OperationActions } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { costText } from "./budget-text.ts";

export type DecideActions = OperationActions<"approveRequest" | "declineRequest">;

/** The secret of a notice's link, which is the address's fragment: no server sees it before it is used. */
function takeSecret(): string | undefined {
  const secret = location.hash.slice(1);
  if (secret) history.replaceState(null, "", location.pathname + location.search);
  return secret || undefined;
}

type ApprovalButtonsProps = {
  approval: Approval;
  actions: DecideActions;
};

/** Approves or declines a request; the first decision counts. */
export function ApprovalButtons({ approval, actions }: ApprovalButtonsProps) {
  const operation = useOperation();
  const { run, isPending } = operation;
  // The address loses it at the first try, and a second one needs it too.
  const secret = useRef<string>(undefined);
  const decide = (action: DecideActions[keyof DecideActions], done: string) => {
    secret.current ??= takeSecret();
    const { approvalId } = approval;
    const decision = { approvalId, ...(secret.current && { secret: secret.current }) };
    return run(
      async () => {
        const answer = await action(decision);
        // It was decided elsewhere: the list is read again, and this card leaves it with its notice.
        if (!answer.ok && answer.code === "conflict") {
          toast(`${approval.planName}: ${answer.message}`, { tone: "warn", stays: true });
        }
        return answer;
      },
      () => void toast(done),
    );
  };
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          isPending={isPending}
          onClick={() => decide(actions.approveRequest, "Request approved")}
        >
          Approve {costText(approval)}
        </Button>
        <Button
          isPending={isPending}
          onClick={() => decide(actions.declineRequest, "Request declined")}
        >
          Decline
        </Button>
      </div>
      <FailureNotice
        title="No decision was recorded"
        unknown="Reload the page to see whether the request was decided. The first decision is final."
        of={operation}
      />
    </div>
  );
}
