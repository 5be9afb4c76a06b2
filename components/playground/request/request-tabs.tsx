"use client";

import { Field } from "../../ui/fields/field.tsx";
import { SegmentedControl } from "../../ui/fields/segmented-control.tsx";
import { Select } from "../../ui/fields/select.tsx";
import { TextArea } from "../../ui/fields/text-area.tsx";
import { TextInput } from "../../ui/fields/text-input.tsx";
import { DelegationChoice } from "./delegation-choice.tsx";
import type { DraftFaults, RequestDraft } from "./request-draft.ts";

export type RequestTabProps = {
  draft: RequestDraft;
  faults: DraftFaults;
  onChange: (change: Partial<RequestDraft>) => void;
};

const TOKENS = [
  { value: "mint", label: "Mint for me" },
  { value: "paste", label: "Paste" },
  { value: "none", label: "None" },
];
const PLACES = [
  { value: "server", label: "Server" },
  { value: "browser", label: "Browser" },
  { value: "both", label: "Both" },
];
const LOGINS = [
  { value: "none", label: "None" },
  { value: "basic", label: "Basic" },
  { value: "bearer", label: "Bearer" },
];

export function BodyTab({ draft, faults, onChange }: RequestTabProps) {
  const hasBody = draft.method !== "GET" && draft.method !== "HEAD";
  if (!hasBody) return <p className="text-ink-2 text-note">{draft.method} carries no body.</p>;
  return (
    <Field label="Body" error={faults.body}>
      <TextArea
        isMono
        rows={7}
        spellCheck={false}
        value={draft.body}
        onChange={(event) => onChange({ body: event.target.value })}
      />
    </Field>
  );
}

export function HeadersTab({ draft, faults, onChange }: RequestTabProps) {
  return (
    <Field label="Headers" hint="One a line, as name: value." error={faults.headers}>
      <TextArea
        isMono
        rows={5}
        spellCheck={false}
        placeholder="accept: application/json"
        value={draft.headers}
        onChange={(event) => onChange({ headers: event.target.value })}
      />
    </Field>
  );
}

export function AuthTab({ draft, onChange }: RequestTabProps) {
  const { auth } = draft;
  return (
    <div className="grid gap-4">
      <SegmentedControl
        label="The agent's own login"
        options={LOGINS}
        value={auth.kind}
        isWide
        onValueChange={(kind) => onChange({ auth: { ...auth, kind: kind as typeof auth.kind } })}
      />
      {auth.kind === "basic" && (
        <Field label="User name">
          <TextInput
            autoComplete="off"
            value={auth.user}
            onChange={(event) => onChange({ auth: { ...auth, user: event.target.value } })}
          />
        </Field>
      )}
      {auth.kind !== "none" && (
        <Field
          label={auth.kind === "basic" ? "Password" : "Bearer token"}
          hint="Kept for this page only; never in history or a share."
        >
          <TextInput
            type="password"
            autoComplete="off"
            value={auth.secret}
            onChange={(event) => onChange({ auth: { ...auth, secret: event.target.value } })}
          />
        </Field>
      )}
    </div>
  );
}

export function TokenTab({ draft, faults, onChange }: RequestTabProps) {
  const { token } = draft;
  return (
    <div className="grid gap-4">
      <SegmentedControl
        label="Access token"
        options={TOKENS}
        value={token.kind}
        isWide
        onValueChange={(kind) =>
          onChange({
            token: kind === "paste" ? { kind, token: "" } : { kind: kind as "mint" | "none" },
          })
        }
      />
      {token.kind === "mint" && (
        <>
          <p className="text-ink-2 text-note">
            A token for the offered plan and this agent is minted under a delegation of yours.
          </p>
          <DelegationChoice
            value={token.delegationId}
            onChange={(delegationId) =>
              onChange({ token: { kind: "mint", ...(delegationId && { delegationId }) } })
            }
          />
        </>
      )}
      {token.kind === "none" && (
        <p className="text-ink-2 text-note">The run ends at the offer. Nothing can be paid.</p>
      )}
      {token.kind === "paste" && (
        <Field
          label="Access token"
          hint="Kept for this page only; never in history or a share."
          error={faults.token}
        >
          <TextArea
            isMono
            rows={4}
            spellCheck={false}
            value={token.token}
            onChange={(event) => onChange({ token: { kind: "paste", token: event.target.value } })}
          />
        </Field>
      )}
    </div>
  );
}

export function OptionsTab({ draft, faults, onChange }: RequestTabProps) {
  return (
    <div className="grid gap-4">
      <div className="grid gap-1.5">
        <span className="text-label">Run from</span>
        <SegmentedControl
          label="Run from"
          options={PLACES}
          value={draft.from}
          isWide
          onValueChange={(from) => onChange({ from: from as RequestDraft["from"] })}
        />
        <p className="text-ink-2 text-note">
          {draft.from === "server" && "The service sends it and sees every header."}
          {draft.from === "browser" && "Sent from this page: what CORS hides stays hidden."}
          {draft.from === "both" &&
            "The unpaid request is sent from both and compared; the server pays."}
        </p>
      </div>
      <Field
        label="Most credits"
        isOptional
        hint="A dearer offer is not paid."
        error={faults.maxCredits}
      >
        <TextInput
          inputMode="numeric"
          value={draft.maxCredits}
          onChange={(event) => onChange({ maxCredits: event.target.value })}
        />
      </Field>
      <Field label="Plan" isOptional hint="Its id, when the agent offers several.">
        <TextInput
          isMono
          spellCheck={false}
          value={draft.planId}
          onChange={(event) => onChange({ planId: event.target.value.trim() })}
        />
      </Field>
      <Field label="Scheme" isOptional hint="Overrides the offer's.">
        <Select
          options={[
            { value: "", label: "As offered" },
            { value: "svc:erc4337", label: "svc:erc4337" },
            { value: "svc:card-delegation", label: "svc:card-delegation" },
          ]}
          value={draft.scheme}
          onValueChange={(scheme) => onChange({ scheme })}
        />
      </Field>
    </div>
  );
}
