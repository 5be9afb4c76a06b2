"use client";

import type { GrantToSign } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { createLater } from "../ui/later.ts";
import { Notice } from "../ui/notice.tsx";

const GrantSigner = createLater(() =>
  import("../wallet/grant-signer.tsx").then((it) => it.default),
).Part;

type SignDelegationProps = {
  grant: GrantToSign;
  submitGrantSignature: (input: {
    delegationId: string;
    signature: string;
  }) => Promise<{ ok: true } | { ok: false; message: string; hint: string }>;
};

/** Takes up a delegation that was made and not signed. */
export function SignDelegation({ grant, submitGrantSignature }: SignDelegationProps) {
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  const { delegationId } = grant;
  const handIn = async (signature: string) => {
    setPending(true);
    const begun = await submitGrantSignature({ delegationId, signature });
    setPending(false);
    if (!begun.ok) return setFailure(`${begun.message} ${begun.hint}`);
    router.refresh();
  };
  if (!isOpen) {
    return (
      <Notice
        tone="unsettled"
        title="It waits for your wallet’s signature."
        action={
          <Button look="primary" onClick={() => setOpen(true)}>
            Read what you sign
          </Button>
        }
      >
        Until then it can spend nothing.
      </Notice>
    );
  }
  return (
    <div className="grid max-w-120 gap-3">
      {failure && (
        <Notice tone="refused" role="alert" title="It was not accepted.">
          {failure}
        </Notice>
      )}
      <GrantSigner
        grant={grant}
        verb="Sign delegation"
        isPending={isPending}
        onSigned={handIn}
        onCancel={() => setOpen(false)}
      />
    </div>
  );
}
