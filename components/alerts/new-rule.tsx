"use client";

import { type FormEvent, useId, useState } from "react";
import { alertKindOf } from "@/lib/console/alert-kinds.ts";
import type { EmailAddress } from "@/lib/console/email-address.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { showFaults } from "../forms/show-faults.ts";
import { useOperation } from "../forms/use-operation.ts";
import { Checkbox } from "../ui/fields/checkbox.tsx";
import { Field } from "../ui/fields/field.tsx";
import { Select } from "../ui/fields/select.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { ActionDialog } from "../ui/overlays/dialog.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import type { AlertActions } from "./alert-actions.ts";
import { createRuleSaver } from "./create-rule-saver.ts";
import { isMailed, KINDS, readThreshold, THRESHOLD_ERROR, takesId, usualOf } from "./rule-text.ts";

type NewRuleProps = { email: EmailAddress; actions: AlertActions };

export function NewRule(props: NewRuleProps) {
  return (
    <DialogButton look="primary" dialog={(onClose) => <RuleDialog {...props} onClose={onClose} />}>
      New rule
    </DialogButton>
  );
}

/** The form's values; a new kind brings its usual number. */
function useRuleForm({ email, actions, onClose }: NewRuleProps & { onClose: () => void }) {
  const operation = useOperation();
  const [saveRule] = useState(() => createRuleSaver(actions));
  const [kind, setKindOnly] = useState(KINDS[0] ?? "credits-below");
  const [text, setText] = useState(String(usualOf(kind)));
  const [object, setObject] = useState("");
  const [wantsMail, setWantsMail] = useState(email.isAvailable);
  const [isSent, setSent] = useState(false);
  const [address, setAddress] = useState("");
  const [isTried, setTried] = useState(false);
  const threshold = readThreshold(text);
  const sendsMail = wantsMail && isMailed(kind);
  const needsAddress = sendsMail && !email.address && !email.unconfirmed;
  const setKind = (value: string) => {
    const next = KINDS.find((known) => known === value);
    if (!next) return;
    setKindOnly(next);
    setText(String(usualOf(next)));
  };
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (threshold === undefined || (needsAddress && address.trim() === "")) {
      return showFaults(event.currentTarget, () => setTried(true));
    }
    const channels = [
      ...(sendsMail ? ["email" as const] : []),
      ...(isSent ? ["webhook" as const] : []),
    ];
    const id = takesId(kind) ? object.trim() : "";
    await operation.run(
      () => {
        const rule = { kind, threshold, channels, ...(id && { object: id }) };
        return saveRule(rule, needsAddress ? address.trim() : undefined);
      },
      () => {
        toast(needsAddress ? "Rule saved. Open the link we sent you." : "Rule saved");
        onClose();
      },
    );
  };
  const errors = {
    threshold: isTried && threshold === undefined ? THRESHOLD_ERROR : undefined,
    address: isTried && needsAddress && !address.trim() ? "Enter your address." : undefined,
  };
  return {
    ...{ kind, setKind, text, setText, object, setObject, wantsMail, setWantsMail },
    ...{ isSent, setSent, address, setAddress, needsAddress, errors, save, operation },
  };
}

function RuleDialog(props: NewRuleProps & { onClose: () => void }) {
  const form = useRuleForm(props);
  const { after, objects } = alertKindOf(form.kind);
  const { email, onClose } = props;
  const formId = useId();
  return (
    <ActionDialog
      onClose={onClose}
      title="New rule"
      verb="Save rule"
      action={{ isPending: form.operation.isPending, form: formId }}
    >
      <form id={formId} className="grid gap-3.5" noValidate onSubmit={form.save}>
        <Field label="Tell me when">
          <Select
            options={KINDS.map((value) => ({ value, label: alertKindOf(value).before }))}
            value={form.kind}
            onValueChange={form.setKind}
          />
        </Field>
        {after && (
          <TextField
            label={`Threshold, ${after}`}
            error={form.errors.threshold}
            inputMode="numeric"
            value={form.text}
            onChange={({ target }) => form.setText(target.value)}
          />
        )}
        {takesId(form.kind) && (
          <TextField
            label="Only for this ID"
            isOptional
            hint={`Left empty: ${objects.toLowerCase()}.`}
            isMono
            value={form.object}
            onChange={({ target }) => form.setObject(target.value)}
          />
        )}
        {isMailed(form.kind) && (
          <Checkbox
            label="Email me"
            checked={form.wantsMail}
            disabled={!email.isAvailable}
            hint={email.isAvailable ? undefined : "This service doesn’t send email."}
            onChange={({ target }) => form.setWantsMail(target.checked)}
          />
        )}
        {form.needsAddress && (
          <TextField
            label="Email address"
            hint="We send a link there. Alerts are emailed once you have opened it."
            error={form.errors.address}
            type="email"
            autoComplete="email"
            value={form.address}
            onChange={({ target }) => form.setAddress(target.value)}
          />
        )}
        <Checkbox
          label="Send to my webhooks"
          hint="As alert.opened and alert.closed."
          checked={form.isSent}
          onChange={({ target }) => form.setSent(target.checked)}
        />
        <FailureNotice
          title="The rule was not saved."
          unknown="Save the rule again: it is never added twice."
          of={form.operation}
        />
      </form>
    </ActionDialog>
  );
}
