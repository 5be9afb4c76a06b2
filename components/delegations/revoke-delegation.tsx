"use client";

import { useQuery } from "@tanstack/react-query";
import type { DelegationSummary } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { QueryProvider } from "../data/query-provider.tsx";
import { readQuery } from "../data/read-operation.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { clockText } from "../ui/values/time-text.ts";
import { nameOf } from "./delegation-text.ts";
import { effectsOf } from "./effects-text.ts";

export type RevokeDelegationAction = (
  delegationId: string,
) => Promise<{ ok: true } | { ok: false; message: string; hint: string }>;

type RevokeDelegationProps = {
  delegation: DelegationSummary;
  revokeDelegation: RevokeDelegationAction;
  onClose: () => void;
  onRevoked: () => void;
};

/** What stops, read from the service, then the verb. */
export function RevokeDelegation(props: RevokeDelegationProps) {
  return (
    <QueryProvider>
      <Question {...props} />
    </QueryProvider>
  );
}

function Question({ delegation, revokeDelegation, ...on }: RevokeDelegationProps) {
  const { delegationId } = delegation;
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  const { data, error } = useQuery({
    ...readQuery("getDelegationEffects", { delegationId }),
    staleTime: 0,
  });
  const name = nameOf(delegation);
  const revoke = async () => {
    setPending(true);
    const revoked = await revokeDelegation(delegationId).catch(() => null);
    setPending(false);
    if (!revoked)
      return setFailure("The service could not be reached. Look at the list before you try again.");
    if (!revoked.ok) return setFailure(`${revoked.message} ${revoked.hint}`);
    toast(`‘${name}’ was revoked at ${clockText(new Date())} UTC`);
    on.onClose();
    on.onRevoked();
  };
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && on.onClose()}
      title={`Revoke ‘${name}’?`}
      description="It stops at once and cannot be started again."
      {...(data && { effects: effectsOf(data, delegation) })}
      safe="Keep it"
      verb="Revoke delegation"
      isPending={isPending}
      onConfirm={revoke}
    >
      {!data && !error && (
        <p role="status" className="grid gap-3 py-2">
          <span className="sr-only">Reading what stops</span>
          <Skeleton className="w-56" />
          <Skeleton className="w-72" />
          <Skeleton className="w-64" />
        </p>
      )}
      {error && (
        <Notice tone="unsettled" title="What stops could not be read.">
          Every token under it stops all the same.
        </Notice>
      )}
      {failure && (
        <Notice tone="refused" title="The delegation was not revoked." role="alert">
          {failure}
        </Notice>
      )}
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
