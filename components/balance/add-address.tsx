import { useRef, useState } from "react";
import type { WithdrawalAddresses } from "@/lib/console/money.ts";
import { plural } from "@/lib/text/plural.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { lengthFault } from "../forms/form-words.ts";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { showFaults } from "../forms/show-faults.ts";
import { type Confirmation, useConfirmed } from "../sign-in/use-confirmed.tsx";
import { Button } from "../ui/button.tsx";
import { readAddress } from "../ui/fields/address-check.ts";
import { AddressInput } from "../ui/fields/address-input.tsx";
import { Field } from "../ui/fields/field.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";

export type AddAddressProps = {
  addresses: WithdrawalAddresses;
  confirmation: Confirmation;
  addWithdrawalAddress: OperationAction<"addWithdrawalAddress">;
  removeWithdrawalAddress: OperationAction<"removeWithdrawalAddress">;
};

const HOUR_SECS = 3600;

export function AddAddress(props: AddAddressProps) {
  const { addresses, confirmation, addWithdrawalAddress, removeWithdrawalAddress } = props;
  const section = useRef<HTMLElement>(null);
  const [address, setAddress] = useState("");
  const [name, setName] = useState("");
  const [isTouched, setTouched] = useState(false);
  const adding = useConfirmed(confirmation, "Adding an address");
  const reading = readAddress(address);
  const nameFault = lengthFault(name, 80);
  const hours = addresses.waitSecs / HOUR_SECS;
  const wait =
    hours >= 1 ? plural(Math.round(hours), "hour") : plural(addresses.waitSecs, "second");
  const add = () => {
    if (!reading.isAddress || nameFault) return showFaults(section.current, () => setTouched(true));
    const input = { address: reading.address, ...(name.trim() && { name: name.trim() }) };
    void adding.run(
      () => addWithdrawalAddress(input),
      () => {
        setAddress("");
        setName("");
        setTouched(false);
      },
    );
  };
  const fault = reading.isAddress ? undefined : reading.fault;
  return (
    <section
      ref={section}
      aria-labelledby="add-address"
      className="grid gap-3 rounded-card border border-line p-4"
    >
      <div>
        <h3 id="add-address" className="text-h3">
          Add an address
        </h3>
        <p className="text-ink-2 text-note">You can withdraw to it after {wait}.</p>
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="New address" error={isTouched ? fault : undefined}>
          <AddressInput value={address} onChange={(event) => setAddress(event.target.value)} />
        </Field>
        <TextField
          label="Name"
          isOptional
          autoComplete="off"
          placeholder="Treasury"
          error={isTouched ? nameFault : undefined}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button isPending={adding.isPending} onClick={add}>
          Add address
        </Button>
        {addresses.items.map((one) => (
          <RemoveAddress key={one.address} address={one} {...{ wait, removeWithdrawalAddress }} />
        ))}
      </div>
      <FailureNotice title="The list did not change." of={adding} />
      {adding.dialog}
    </section>
  );
}

type RemoveAddressProps = {
  address: WithdrawalAddresses["items"][number];
  /** How long an added address waits, in words. */
  wait: string;
  removeWithdrawalAddress: OperationAction<"removeWithdrawalAddress">;
};

/** Asks before an address leaves the list: adding it again means waiting again. */
function RemoveAddress({ address, wait, removeWithdrawalAddress }: RemoveAddressProps) {
  const name = address.name ?? shortenIdentifier(address.address);
  return (
    <DialogButton
      look="quiet"
      dialog={(onClose) => (
        <OperationDialog
          title={`Remove ${name}?`}
          description="You can no longer withdraw to it."
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
