"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { EmailAddress } from "@/lib/console/email-address.ts";
import { plural } from "@/lib/text/plural.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import type { AlertActions } from "./alert-actions.ts";

type ChannelsProps = {
  email: EmailAddress;
  actions: Pick<AlertActions, "setEmailAddress" | "removeEmailAddress">;
};

/** Where alerts go beside the app, and whether mail arrives. */
export function Channels({ email, actions }: ChannelsProps) {
  return (
    <div className="grid gap-4">
      <DefinitionList
        items={[
          { term: "In the app", value: "Always" },
          {
            term: "Webhooks",
            value: (
              <Link href="/settings/webhooks" className="link">
                Open webhooks
              </Link>
            ),
          },
          {
            term: "E-mail",
            value: (
              <span className="inline-flex flex-wrap items-center gap-2">
                <span className="wrap-anywhere">
                  {email.address ?? email.unconfirmed ?? "None"}
                </span>
                <State {...email} />
              </span>
            ),
          },
        ]}
      />
      {email.waiting > 0 && email.lastError && (
        <Notice tone="unsettled" title={`${plural(email.waiting, "mail")} not accepted yet`}>
          The mail server said: {email.lastError}. We keep trying for three days.
        </Notice>
      )}
      {email.isAvailable && <AddressForm email={email} actions={actions} />}
    </div>
  );
}

function State({ isAvailable, address, unconfirmed, waiting, lastError }: EmailAddress) {
  if (!isAvailable) return <StatePill tone="neutral">Not available</StatePill>;
  if (!address) return unconfirmed ? <StatePill tone="warn">Not confirmed</StatePill> : null;
  if (waiting > 0 && lastError) return <StatePill tone="warn">Retrying</StatePill>;
  return <StatePill tone="good">Confirmed</StatePill>;
}

function AddressForm({ email, actions }: ChannelsProps) {
  const router = useRouter();
  const operation = useOperation();
  const [address, setAddress] = useState("");
  const done = (text: string) => () => {
    toast(text);
    setAddress("");
    router.refresh();
  };
  const hasAddress = email.address !== undefined || email.unconfirmed !== undefined;
  return (
    <form
      className="grid gap-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void operation.run(() => actions.setEmailAddress(address.trim()), done("Link sent"));
      }}
    >
      <TextField
        label={hasAddress ? "New e-mail address" : "E-mail address"}
        hint={
          email.unconfirmed
            ? `Open the link that we sent to ${email.unconfirmed}.`
            : "We send a link there to confirm it."
        }
        type="email"
        autoComplete="email"
        value={address}
        onChange={({ target }) => setAddress(target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" isPending={operation.isPending}>
          Send link
        </Button>
        {hasAddress && (
          <Button
            onClick={() => void operation.run(actions.removeEmailAddress, done("Address removed"))}
          >
            Remove address
          </Button>
        )}
      </div>
      <FailureNotice title="The address was not changed." of={operation} />
    </form>
  );
}
