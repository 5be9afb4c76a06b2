"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";

type RevokeAllProps = {
  delegations: number;
  tokens: number;
  revokeAll: () => Promise<
    | { ok: true; data: { delegationsRevoked: number; tokensRevoked: number } }
    | { ok: false; message: string; hint: string }
  >;
};

/** Stops everything that can spend, with one answer. */
export function RevokeAll({ delegations, tokens, revokeAll }: RevokeAllProps) {
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  const revoke = async () => {
    setPending(true);
    setFailure("");
    const revoked = await revokeAll();
    setPending(false);
    if (!revoked.ok) return setFailure(`${revoked.message} ${revoked.hint}`);
    const { delegationsRevoked, tokensRevoked } = revoked.data;
    toast(`${delegationsRevoked} delegations and ${tokensRevoked} tokens were revoked`);
    setOpen(false);
    router.refresh();
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Revoke all</Button>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title="Revoke every delegation?"
        description="They stop at once and cannot be started again."
        effects={[
          {
            icon: "gauge",
            title: `${delegations} ${delegations === 1 ? "delegation stops" : "delegations stop"} now`,
            detail: "Also those of your API keys.",
          },
          {
            icon: "key",
            title: `${tokens} access ${tokens === 1 ? "token stops" : "tokens stop"} now`,
            detail: "Calls that were let in before may still settle.",
          },
          { icon: "check", title: "Your credits stay yours" },
        ]}
        safe="Keep them"
        verb="Revoke all delegations"
        isPending={isPending}
        onConfirm={revoke}
      >
        {failure && (
          <Notice tone="refused" title="Nothing was revoked." role="alert">
            {failure}
          </Notice>
        )}
      </ConfirmDialog>
    </>
  );
}
