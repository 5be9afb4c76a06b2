"use client";

import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { RadioGroup } from "../ui/fields/radio-group.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import type { AccessDraft } from "./agent-types.ts";
import { newKey } from "./registration-draft.ts";

const WAYS = [
  { value: "NONE", label: "None", detail: "Payment alone lets a caller in." },
  { value: "BASIC", label: "Basic", detail: "A user name and a password." },
  { value: "BEARER", label: "Bearer", detail: "A token in the Authorization header." },
];

export type AccessFaults = { username?: string; token?: string; headers?: string };

/** What is wrong with what was typed, by field. `isKept` says that a saved login stays. */
export function accessFaults(access: AccessDraft, isKept = false): AccessFaults {
  const { authType, username, password, token, headers } = access;
  const isEmpty = !username && !password && !token;
  const wrong = headers.find(({ name }) => name && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name));
  return {
    ...(authType === "BASIC" &&
      !username &&
      !(isKept && isEmpty) && { username: "Give a user name." }),
    ...(authType === "BEARER" && !token && !isKept && { token: "Give the token." }),
    ...(wrong && { headers: `‘${wrong.name}’ is no header's name: letters, digits and - only.` }),
  };
}

/** How the agent lets its callers in. What is typed here is sealed and never shown again. */
export function AccessFields({
  access,
  onChange,
  faults,
  savedNote,
}: {
  access: AccessDraft;
  onChange: (access: AccessDraft) => void;
  faults: AccessFaults;
  /** Stands in the empty field of a secret that is already saved. */
  savedNote?: string;
}) {
  const set = (change: Partial<AccessDraft>) => onChange({ ...access, ...change });
  const secret = {
    type: "password",
    autoComplete: "new-password",
    placeholder: savedNote,
  } as const;
  return (
    <div className="grid max-w-160 gap-4">
      <RadioGroup
        label="Login of its own"
        options={WAYS}
        value={access.authType}
        onValueChange={(authType) => set({ authType: authType as AccessDraft["authType"] })}
      />
      {access.authType === "BASIC" && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="User name" error={faults.username}>
            <TextInput
              value={access.username}
              autoComplete="off"
              maxLength={256}
              onChange={(event) => set({ username: event.target.value })}
            />
          </Field>
          <Field label="Password" hint="Written once; nobody can read it back.">
            <TextInput
              {...secret}
              value={access.password}
              maxLength={1024}
              onChange={(event) => set({ password: event.target.value })}
            />
          </Field>
        </div>
      )}
      {access.authType === "BEARER" && (
        <Field label="Token" error={faults.token} hint="Written once; nobody can read it back.">
          <TextInput
            {...secret}
            value={access.token}
            maxLength={8192}
            onChange={(event) => set({ token: event.target.value })}
          />
        </Field>
      )}
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-label">
          Extra headers <span className="font-normal text-ink-2">optional</span>
        </legend>
        {access.headers.map(({ key, name, value }, at) => {
          const change = (next: Partial<(typeof access.headers)[number]>) =>
            set({
              headers: access.headers.map((one) => (one.key === key ? { ...one, ...next } : one)),
            });
          return (
            <div key={key} className="flex items-center gap-2">
              <TextInput
                aria-label={`Name of header ${at + 1}`}
                isMono
                placeholder="x-tenant"
                value={name}
                maxLength={128}
                onChange={(event) => change({ name: event.target.value })}
              />
              <TextInput
                aria-label={`Value of header ${at + 1}`}
                type="password"
                autoComplete="new-password"
                value={value}
                maxLength={8192}
                onChange={(event) => change({ value: event.target.value })}
              />
              <IconButton
                icon="close"
                label={`Remove header ${at + 1}`}
                onClick={() => set({ headers: access.headers.filter((one) => one.key !== key) })}
              />
            </div>
          );
        })}
        {faults.headers && <p className="text-note">{faults.headers}</p>}
        <Button
          size="small"
          className="justify-self-start"
          onClick={() =>
            set({ headers: [...access.headers, { key: newKey(), name: "", value: "" }] })
          }
        >
          <Icon name="plus" className="size-3.5" />
          Add a header
        </Button>
      </fieldset>
    </div>
  );
}
