"use client";

import { useQuery } from "@tanstack/react-query";
import type { DelegationSummary } from "@turnpike/payments/protocol";
import { QueryProvider } from "../data/query-provider.tsx";
import { readQuery } from "../data/read-operation.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { EffectsSkeleton, OperationDialog } from "../forms/operation-dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { nameOf } from "./delegation-text.ts";
import { effectsOf } from "./effects-text.ts";

export type RevokeDelegationAction = OperationAction<"revokeDelegation">;

type RevokeDelegationProps = {
  delegation: DelegationSummary;
  revokeDelegation: RevokeDelegationAction;
  onClose: () => void;
};

/** Asks before a delegation is revoked; the service says what stops with it. */
export function RevokeDelegation(props: RevokeDelegationProps) {
  return (
    <QueryProvider>
      <Question {...props} />
    </QueryProvider>
  );
}

function Question({ delegation, revokeDelegation, onClose }: RevokeDelegationProps) {
  const { delegationId } = delegation;
  const { data, error } = useQuery({
    ...readQuery("getDelegationEffects", { delegationId }),
    staleTime: 0,
  });
  const name = nameOf(delegation);
  return (
    <OperationDialog
      title={`Revoke “${name}”?`}
      description="It stops immediately. You can’t undo this."
      {...(data && { effects: effectsOf(data, delegation) })}
      safe="Keep it"
      verb="Revoke delegation"
      failed="The delegation was not revoked."
      run={() => revokeDelegation({ delegationId })}
      onDone={() => toast(`“${name}” is revoked`)}
      onClose={onClose}
    >
      {!data && !error && <EffectsSkeleton />}
      {error && (
        <Notice tone="unsettled" title="The effects could not be loaded.">
          You can still revoke it. Every token under it stops working.
        </Notice>
      )}
    </OperationDialog>
  );
}

export function RevokeDelegationButton(props: Omit<RevokeDelegationProps, "onClose">) {
  return (
    <DialogButton dialog={(onClose) => <RevokeDelegation {...props} onClose={onClose} />}>
      Revoke
    </DialogButton>
  );
}
