import type { WithdrawalAddresses } from "@/lib/console/money.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";

type RemoveAddressProps = {
  address: WithdrawalAddresses["items"][number];
  /** How long an added address waits, in words. */
  wait: string;
  removeWithdrawalAddress: OperationAction<"removeWithdrawalAddress">;
};

/** Asks before an address leaves the list: adding it again means waiting anew. */
export function RemoveAddress({ address, wait, removeWithdrawalAddress }: RemoveAddressProps) {
  const name = address.name ?? shortenIdentifier(address.address);
  return (
    <DialogButton
      look="quiet"
      dialog={(onClose) => (
        <OperationDialog
          title={`Remove ${name}?`}
          description="You can’t withdraw to it anymore."
          effects={[
            {
              icon: "clock",
              title: `If you add it again, you can withdraw to it after ${wait}`,
            },
            { icon: "check", title: "Withdrawals in progress are still sent" },
          ]}
          safe="Keep it"
          verb="Remove address"
          failed="The address was not removed."
          run={() => removeWithdrawalAddress({ address: address.address })}
          onDone={() => toast(`${name} was removed`)}
          onClose={onClose}
        />
      )}
    >
      Remove {name}
    </DialogButton>
  );
}
