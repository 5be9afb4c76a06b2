"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { plural, pluralWord } from "@/lib/text/plural.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";

type RevokeAllProps = {
  delegations: number;
  tokens: number;
  revokeAll: () => Promise<ActionAnswer<{ delegationsRevoked: number; tokensRevoked: number }>>;
};

/** Revokes every delegation of the account, after one question. */
export function RevokeAll({ delegations, tokens, revokeAll }: RevokeAllProps) {
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const { run, isPending, failure } = useOperation();
  const revoke = () =>
    run(revokeAll, ({ delegationsRevoked, tokensRevoked }) => {
      toast(
        `Revoked ${plural(delegationsRevoked, "delegation")} and ${plural(tokensRevoked, "token")}`,
      );
      setOpen(false);
      router.refresh();
    });
  return (
    <>
      <Button onClick={() => setOpen(true)}>Revoke all</Button>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title="Revoke every delegation?"
        description="They stop immediately. You can’t undo this."
        effects={[
          {
            icon: "gauge",
            title: `${plural(delegations, "delegation")} ${pluralWord(delegations, "stops", "stop")} working`,
            detail: "Including those of your API keys.",
          },
          {
            icon: "key",
            title: `${plural(tokens, "access token")} ${pluralWord(tokens, "stops", "stop")} working`,
            detail: "Calls in progress may still settle.",
          },
          { icon: "check", title: "You keep your credits" },
        ]}
        safe="Keep them"
        verb="Revoke all delegations"
        isPending={isPending}
        onConfirm={revoke}
      >
        <FailureNotice title="Nothing was revoked." failure={failure} />
      </ConfirmDialog>
    </>
  );
}
