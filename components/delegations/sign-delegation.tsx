"use client";

import type { GrantToSign } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { SignGrant, type SubmitGrantSignature } from "../wallet/sign-grant.tsx";

type SignDelegationProps = { grant: GrantToSign; submitGrantSignature: SubmitGrantSignature };

/** Has the wallet sign a delegation that was created without a signature. */
export function SignDelegation({ grant, submitGrantSignature }: SignDelegationProps) {
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  if (!isOpen) {
    return (
      <Notice
        tone="unsettled"
        title="This delegation needs your wallet’s signature."
        action={
          <Button look="primary" onClick={() => setOpen(true)}>
            Review and sign
          </Button>
        }
      >
        It can’t be charged until you sign it.
      </Notice>
    );
  }
  return (
    <div className="max-w-120">
      <SignGrant
        grant={grant}
        verb="Sign delegation"
        failed="The signature was not accepted."
        actions={{ submitGrantSignature }}
        onDone={() => router.refresh()}
        onCancel={() => setOpen(false)}
      />
    </div>
  );
}
