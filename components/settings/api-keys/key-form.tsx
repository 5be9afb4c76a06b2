import { KEY_PRESETS, type KeyPreset } from "@turnpike/payments/protocol";
import { Fingerprint } from "lucide-react";
import { type UseFormReturn, useWatch } from "react-hook-form";
import { DAY_SECS, HOUR_SECS, YEAR_SECS } from "@/lib/text/durations.ts";
import { FailureNotice } from "../../forms/failure-notice.tsx";
import { atMost } from "../../forms/form-words.ts";
import { useOperationForm } from "../../forms/use-operation-form.ts";
import { proofText } from "../../sign-in/confirm-identity.tsx";
import { type Confirmation, useConfirmed } from "../../sign-in/use-confirmed.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { RadioGroup } from "../../ui/fields/radio-group.tsx";
import { Select } from "../../ui/fields/select.tsx";
import { TextField } from "../../ui/fields/text-field.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { useNow } from "../../ui/values/clock-provider.tsx";
import { PermissionSentence } from "../../ui/values/permission-sentence.tsx";
import { dateText, minuteText } from "../../ui/values/time-text.ts";
import { type CreateApiKey, type CreatedKey, inputOf, type KeyDraft, NO_KEY } from "./key-draft.ts";
import { type ApiKey, describeRights, findPreset, PRESETS } from "./key-text.ts";
import { ScopeTable } from "./scope-table.tsx";

const LIFETIMES: [string, number][] = [
  ["7 days", 7 * DAY_SECS],
  ["30 days", 30 * DAY_SECS],
  ["90 days", 90 * DAY_SECS],
  ["1 year", YEAR_SECS],
];
const OVERLAPS: [string, number][] = [
  ["Stops immediately", 0],
  ["1 hour", HOUR_SECS],
  ["24 hours", DAY_SECS],
  ["7 days", 7 * DAY_SECS],
];

export type KeyFormProps = {
  draft: KeyDraft;
  keys: ApiKey[];
  isSandbox: boolean;
  confirmation: Confirmation;
  createApiKey: CreateApiKey;
  onCreated: (created: CreatedKey) => void;
  onClose: () => void;
};

/** A key is shown once, in the answer that was lost. */
const UNKNOWN =
  "Close this and look at the list of keys before you create another. If there is a new one, revoke it: it can’t be shown again.";

/** Asks what a key is for, what it may do, how long it lives and which key it replaces. */
export function KeyForm(props: KeyFormProps) {
  const { draft, keys, isSandbox, confirmation, createApiKey, onCreated, onClose } = props;
  const confirming = useConfirmed(confirmation, "Creating an API key");
  const form = useOperationForm<KeyDraft, KeyDraft, CreatedKey>({
    defaultValues: draft,
    run: (values) => confirming.confirm(() => createApiKey(inputOf(values))),
    onDone: onCreated,
  });
  const { errors } = form.formState;
  // While a key is being created the dialog stays open: the answer is the only one that has the key.
  const close = () => {
    if (!form.isPending) onClose();
  };
  return (
    <>
      <Dialog
        isOpen={!confirming.dialog}
        onClose={close}
        title={draft.replacesId === NO_KEY ? "Create API key" : `Rotate “${draft.name}”`}
        className="max-w-170"
      >
        <form onSubmit={form.submit} noValidate className="grid gap-4">
          <TextField
            label="Name"
            error={errors.name?.message}
            autoComplete="off"
            placeholder="Production gate"
            {...form.register("name", { required: "Enter a name.", maxLength: atMost(80) })}
          />
          <Rights form={form} isSandbox={isSandbox} />
          <Times form={form} keys={keys} />
          <Sentence form={form} keys={keys} />
          <FailureNotice title="The key was not created." unknown={UNKNOWN} of={form} />
          <div className="flex items-center justify-end gap-2 max-sm:flex-col-reverse max-sm:items-stretch">
            <p className="mr-auto flex items-center gap-2 text-ink-2 text-note">
              <Fingerprint aria-hidden="true" className="size-4" strokeWidth={1.5} />
              Requires your {proofText(confirmation.identity)}
            </p>
            <Button aria-disabled={form.isPending || undefined} onClick={close}>
              Cancel
            </Button>
            <Button type="submit" look="primary" isPending={form.isPending}>
              Create key
            </Button>
          </div>
        </form>
      </Dialog>
      {confirming.dialog}
    </>
  );
}

type PartProps = { form: UseFormReturn<KeyDraft, unknown, KeyDraft> };

function Rights({ form, isSandbox }: PartProps & { isSandbox: boolean }) {
  const { preset, scopes } = useWatch({ control: form.control }) as KeyDraft;
  const exact = findPreset(scopes);
  const choose = (value: string) => {
    const chosen = value as KeyPreset;
    form.setValue("preset", chosen);
    form.setValue("scopes", KEY_PRESETS[chosen]);
  };
  return (
    <>
      <RadioGroup
        label="Preset"
        look="cards"
        className="sm:grid-cols-2"
        options={Object.entries(PRESETS).map(([value, text]) => ({ value, ...text }))}
        value={exact ?? preset}
        onValueChange={choose}
      />
      <ScopeTable
        scopes={scopes}
        onScopesChange={(changed) => form.setValue("scopes", changed)}
        tag={exact ? PRESETS[exact].label : `${PRESETS[preset].label}, changed`}
        isSandbox={isSandbox}
      />
    </>
  );
}

/** When a key ends that is created now, by the service's clock. */
function useEndOf() {
  const readNow = useNow();
  return (secs: number) => new Date(readNow().getTime() + secs * 1_000);
}

function Times({ form, keys }: PartProps & { keys: ApiKey[] }) {
  const { durationSecs, replacesId, overlapSecs } = useWatch({ control: form.control }) as KeyDraft;
  const endOf = useEndOf();
  return (
    <div className="grid gap-4 sm:grid-cols-3 sm:gap-3">
      <Field label="Expires">
        <Select
          options={LIFETIMES.map(([text, secs]) => ({
            value: `${secs}`,
            label: `${text}, ${dateText(endOf(secs))}`,
          }))}
          value={`${durationSecs}`}
          onValueChange={(secs) => form.setValue("durationSecs", Number(secs))}
        />
      </Field>
      <Field label="Replaces">
        <Select
          options={[
            { value: NO_KEY, label: "No key" },
            ...keys.map(({ keyId, name, last4 }) => ({ value: keyId, label: `${name} …${last4}` })),
          ]}
          value={replacesId}
          onValueChange={(keyId) => form.setValue("replacesId", keyId)}
        />
      </Field>
      {replacesId !== NO_KEY && (
        <Field label="Old key works for">
          <Select
            options={OVERLAPS.map(([text, secs]) => ({ value: `${secs}`, label: text }))}
            value={`${overlapSecs}`}
            onValueChange={(secs) => form.setValue("overlapSecs", Number(secs))}
          />
        </Field>
      )}
    </div>
  );
}

function Sentence({ form, keys }: PartProps & { keys: ApiKey[] }) {
  const draft = useWatch({ control: form.control }) as KeyDraft;
  const endOf = useEndOf();
  const { can, reads, cannot } = describeRights(draft.scopes);
  const old = keys.find(({ keyId }) => keyId === draft.replacesId);
  const oldEnd = old && new Date(Math.min(Date.parse(old.expiresAt), +endOf(draft.overlapSecs)));
  return (
    <PermissionSentence>
      This key can{!can && !reads && " do nothing"}
      {can && <b> {can}</b>}
      {can && reads && " and"}
      {reads && <b> read {reads}</b>}.{cannot && ` It can’t ${cannot}.`} It expires on{" "}
      <b>{dateText(endOf(draft.durationSecs))}</b>
      {oldEnd && (
        <>
          ; the key ending in <b>{old.last4}</b> stops{" "}
          {draft.overlapSecs === 0 ? (
            <b>immediately</b>
          ) : (
            <>
              on <b>{minuteText(oldEnd)}</b>
            </>
          )}
        </>
      )}
      .
    </PermissionSentence>
  );
}
