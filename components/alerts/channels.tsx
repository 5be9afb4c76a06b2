"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import type { EmailAddress } from "@/lib/console/email-address.ts";
import { plural, pluralWord } from "@/lib/text/plural.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { toastWithUndo } from "../forms/undo-change.ts";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { TextLink } from "../ui/text-link.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import type { AlertActions } from "./alert-actions.ts";

type ChannelsProps = {
  email: EmailAddress;
  /** Rules that are on and use the channel. */
  rules: { email: number; webhook: number };
  endpoints: number;
  actions: Pick<AlertActions, "setEmailAddress" | "removeEmailAddress">;
};

/** Where alerts go besides the app, and whether email arrives. */
export function Channels({ email, rules, endpoints, actions }: ChannelsProps) {
  return (
    <div className="grid gap-4">
      <DefinitionList
        items={{
          "In the app": "Always",
          Webhooks: (
            <TextLink href="/settings/webhooks">
              {endpoints === 0 ? "None" : plural(endpoints, "endpoint")}
            </TextLink>
          ),
          Email: (
            <span className="inline-flex flex-wrap items-center gap-2">
              <span className="wrap-anywhere">{email.address ?? email.unconfirmed ?? "None"}</span>
              <State {...email} />
            </span>
          ),
        }}
      />
      {rules.webhook > 0 && endpoints === 0 && (
        <Notice tone="unsettled" title={`${rulesHave(rules.webhook)} no webhook endpoint`}>
          Add an endpoint under <TextLink href="/settings/webhooks">Webhooks</TextLink>.
        </Notice>
      )}
      {rules.email > 0 && email.isAvailable && !email.address && (
        <Notice tone="unsettled" title={`${rulesHave(rules.email)} no email address`}>
          {email.unconfirmed
            ? `Open the link that we sent to ${email.unconfirmed}.`
            : "Enter your address below."}
        </Notice>
      )}
      {email.waiting > 0 && email.lastError && (
        <Notice tone="unsettled" title={`${plural(email.waiting, "email")} not accepted yet`}>
          The mail server said: {email.lastError}. We keep trying for three days.
        </Notice>
      )}
      {email.isAvailable && <AddressForm email={email} actions={actions} />}
    </div>
  );
}

const rulesHave = (count: number) => `${plural(count, "rule")} ${pluralWord(count, "has", "have")}`;

function State({ isAvailable, address, unconfirmed, waiting, lastError }: EmailAddress) {
  if (!isAvailable) return <StatePill tone="neutral">Not available</StatePill>;
  if (!address) return unconfirmed ? <StatePill tone="warn">Not confirmed</StatePill> : null;
  if (waiting > 0 && lastError) return <StatePill tone="warn">Retrying</StatePill>;
  return <StatePill tone="good">Confirmed</StatePill>;
}

function AddressForm({ email, actions }: Pick<ChannelsProps, "email" | "actions">) {
  const router = useRouter();
  const operation = useOperation();
  const [address, setAddress] = useState("");
  const remove = (removed: string) =>
    operation.run(
      () => actions.removeEmailAddress({}),
      () => {
        toastWithUndo("Address removed", {
          undo: () => actions.setEmailAddress({ address: removed }),
          undone: `Link sent to ${removed}. Open it to confirm the address again.`,
          failed: `The address ${removed} was not restored.`,
          onDone: () => router.refresh(),
        });
      },
    );
  const known = email.address ?? email.unconfirmed;
  return (
    <form
      className="grid gap-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void operation.run(
          () => actions.setEmailAddress({ address: address.trim() }),
          () => {
            toast("Link sent");
            setAddress("");
          },
        );
      }}
    >
      <TextField
        label={known ? "New email address" : "Email address"}
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
        {known && <Button onClick={() => void remove(known)}>Remove address</Button>}
      </div>
      <FailureNotice title="The address was not changed." of={operation} />
    </form>
  );
}
