"use client";

import { useQuery } from "@tanstack/react-query";
import type { DelegationSummary } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { QueryProvider } from "../data/query-provider.tsx";
import { readQuery } from "../data/read-operation.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { clockText } from "../ui/values/time-text.ts";
import { nameOf } from "./delegation-text.ts";
import { effectsOf } from "./effects-text.ts";

export type RevokeDelegationAction = (delegationId: string) => Promise<ActionAnswer<unknown>>;

type RevokeDelegationProps = {
  delegation: DelegationSummary;
  revokeDelegation: RevokeDelegationAction;
  onClose: () => void;
  onRevoked: () => void;
};

/** Asks before a delegation is revoked; the service says what stops with it. */
export function RevokeDelegation(props: RevokeDelegationProps) {
  return (
    <QueryProvider>
      <Question {...props} />
    </QueryProvider>
  );
}

function Question({ delegation, revokeDelegation, onClose, onRevoked }: RevokeDelegationProps) {
  const { delegationId } = delegation;
  const { run, isPending, failure } = useOperation();
  const { data, error } = useQuery({
    ...readQuery("getDelegationEffects", { delegationId }),
    staleTime: 0,
  });
  const name = nameOf(delegation);
  const revoke = () =>
    run(
      () => revokeDelegation(delegationId),
      () => {
        toast(`‘${name}’ was revoked at ${clockText(new Date())} UTC`);
        onClose();
        onRevoked();
      },
    );
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Revoke ‘${name}’?`}
      description="It stops immediately. You can’t undo this."
      {...(data && { effects: effectsOf(data, delegation) })}
      safe="Keep it"
      verb="Revoke delegation"
      isPending={isPending}
      onConfirm={revoke}
    >
      {!data && !error && (
        <p role="status" className="grid gap-3 py-2">
          <span className="sr-only">Loading the effects</span>
          <Skeleton className="w-56" />
          <Skeleton className="w-72" />
          <Skeleton className="w-64" />
        </p>
      )}
      {error && (
        <Notice tone="unsettled" title="The effects could not be loaded.">
          You can still revoke it. Every token under it stops working.
        </Notice>
      )}
      <FailureNotice title="The delegation was not revoked." failure={failure} />
    </ConfirmDialog>
  );
}

/** The same from the page of one delegation. */
export function RevokeDelegationButton(
  props: Omit<RevokeDelegationProps, "onClose" | "onRevoked">,
) {
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Revoke</Button>
      {isOpen && (
        <RevokeDelegation
          {...props}
          onClose={() => setOpen(false)}
          onRevoked={() => router.refresh()}
        />
      )}
    </>
  );
}
