"use client";

import type { TokenSummary } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";

export type RevokeTokenAction = (
  tokenId: string,
) => Promise<{ ok: true } | { ok: false; message: string; hint: string }>;

type RevokeTokenProps = {
  token: Pick<TokenSummary, "tokenId" | "planName" | "redemptionsReserved">;
  revokeToken: RevokeTokenAction;
  onClose: () => void;
};

/** What stops with a token, then the verb. */
export function RevokeToken({ token, revokeToken, onClose }: RevokeTokenProps) {
  const router = useRouter();
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  const tail = `…${token.tokenId.slice(-6)}`;
  const revoke = async () => {
    setPending(true);
    const revoked = await revokeToken(token.tokenId);
    setPending(false);
    if (!revoked.ok) return setFailure(`${revoked.message} ${revoked.hint}`);
    toast(`Token ${tail} was revoked`);
    onClose();
    router.refresh();
  };
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Revoke token ${tail}?`}
      description="It stops at once and cannot be started again."
      effects={[
        { icon: "key", title: "The next call with it is refused" },
        ...(token.redemptionsReserved > 0
          ? [
              {
                icon: "half" as const,
                title: `${token.redemptionsReserved} in flight may still settle`,
                detail: "Calls that were let in before. Nothing new can be held.",
              },
            ]
          : []),
        {
          icon: "check",
          title: `Your credits of ‘${token.planName}’ stay yours`,
          detail: "Its delegation and other tokens go on. A new token can use the credits.",
        },
      ]}
      safe="Keep it"
      verb="Revoke token"
      isPending={isPending}
      onConfirm={revoke}
    >
      {failure && (
        <Notice tone="refused" title="The token was not revoked." role="alert">
          {failure}
        </Notice>
      )}
    </ConfirmDialog>
  );
}

/** The same from a page about one token. */
export function RevokeTokenButton(props: Omit<RevokeTokenProps, "onClose">) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Revoke</Button>
      {isOpen && <RevokeToken {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
