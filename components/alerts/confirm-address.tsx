"use client";

import { useRouter } from "next/navigation";
import type { OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { toast } from "../ui/overlays/toast-store.ts";

type ConfirmAddressProps = {
  confirmEmailAddress: OperationAction<"confirmEmailAddress">;
};

/** Confirms with the secret of the link, which is the address's fragment: opening the page confirms nothing. */
export function ConfirmAddress({ confirmEmailAddress }: ConfirmAddressProps) {
  const router = useRouter();
  const operation = useOperation();
  const confirm = () =>
    operation.run(
      () => confirmEmailAddress({ secret: location.hash.slice(1) }),
      () => {
        toast("Address confirmed");
        router.replace("/alerts");
      },
    );
  return (
    <div className="grid justify-items-start gap-3">
      <Button look="primary" isPending={operation.isPending} onClick={() => void confirm()}>
        Confirm address
      </Button>
      <FailureNotice
        title="The address was not confirmed."
        unknown={
          <>
            Open{" "}
            <NearLink href="/alerts" className="link">
              Alerts
            </NearLink>{" "}
            to see whether the address is confirmed.
          </>
        }
        of={operation}
      />
    </div>
  );
}
