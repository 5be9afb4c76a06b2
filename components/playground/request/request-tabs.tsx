import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { TIME_LIMITS } from "@/lib/playground/exchange.ts";
import { readQuery } from "../../data/read-operation.ts";
import { maskToken } from "../../tokens/token-forms.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { SegmentedControl } from "../../ui/fields/segmented-control.tsx";
import { Select } from "../../ui/fields/select.tsx";
import { TextAreaField, TextField } from "../../ui/fields/text-field.tsx";
import { absoluteTime } from "../../ui/values/time-text.ts";
import { type DraftErrors, limitText, type RequestDraft } from "./request-draft.ts";

export type RequestTabProps = {
  draft: RequestDraft;
  errors: DraftErrors;
  onChange: (change: Partial<RequestDraft>) => void;
  /** Whether a test customer can pay; only in the sandbox. */
  hasTest: boolean;
  /** Where a visitor signs in; null for someone signed in. */
  signInHref: string | null;
};

const PAYERS = [
  { value: "test", label: "Test customer" },
  { value: "mint", label: "Your account" },
  { value: "wallet", label: "Your wallet" },
  { value: "paste", label: "A token" },
  { value: "none", label: "No one" },
];
const PLACES = [
  { value: "server", label: "Server" },
  { value: "browser", label: "Browser" },
  { value: "both", label: "Both" },
];
const AUTH_KINDS = [
  { value: "none", label: "None" },
  { value: "basic", label: "Basic" },
  { value: "bearer", label: "Bearer" },
];

export function BodyTab({ draft, errors, onChange }: RequestTabProps) {
  const hasBody = draft.method !== "GET" && draft.method !== "HEAD";
  if (!hasBody)
    return <p className="text-ink-2 text-note">{draft.method} requests have no body.</p>;
  return (
    <TextAreaField
      label="Body"
      error={errors.body}
      isMono
      rows={7}
      value={draft.body}
      onChange={(event) => onChange({ body: event.target.value })}
    />
  );
}

export function HeadersTab({ draft, errors, onChange }: RequestTabProps) {
  return (
    <TextAreaField
      label="Headers"
      hint="One per line, as name: value."
      error={errors.headers}
      isMono
      rows={5}
      placeholder="accept: application/json"
      value={draft.headers}
      onChange={(event) => onChange({ headers: event.target.value })}
    />
  );
}

export function AuthTab({ draft, onChange }: RequestTabProps) {
  const { auth } = draft;
  return (
    <div className="grid gap-4">
      <SegmentedControl
        label="Agent authentication"
        options={AUTH_KINDS}
        value={auth.kind}
        isWide
        onValueChange={(kind) => onChange({ auth: { ...auth, kind: kind as typeof auth.kind } })}
      />
      {auth.kind === "basic" && (
        <TextField
          label="Username"
          autoComplete="off"
          value={auth.user}
          onChange={(event) => onChange({ auth: { ...auth, user: event.target.value } })}
        />
      )}
      {auth.kind !== "none" && (
        <TextField
          label={auth.kind === "basic" ? "Password" : "Bearer token"}
          hint="Kept on this page only, never in the history or a shared run."
          type="password"
          autoComplete="off"
          value={auth.secret}
          onChange={(event) => onChange({ auth: { ...auth, secret: event.target.value } })}
        />
      )}
    </div>
  );
}

export function TokenTab({ draft, errors, onChange, hasTest, signInHref }: RequestTabProps) {
  const { token } = draft;
  if (signInHref !== null) {
    return (
      <p className="text-note">
        Without an account, a run asks for the offer and explains what the call costs.{" "}
        <Link href={signInHref} prefetch={false} className="link">
          Sign in
        </Link>{" "}
        to pay for it.
      </p>
    );
  }
  return (
    <div className="grid gap-4">
      <Field label="Pay as" hint={WHO_PAYS[token.kind]}>
        <Select
          options={PAYERS.filter(({ value }) => hasTest || value !== "test")}
          value={token.kind}
          onValueChange={(kind) =>
            onChange({
              token:
                kind === "paste"
                  ? { kind, token: "" }
                  : { kind: kind as "test" | "mint" | "wallet" | "none" },
            })
          }
        />
      </Field>
      {token.kind === "mint" && (
        <DelegationChoice
          value={token.delegationId}
          onChange={(delegationId) =>
            onChange({ token: { kind: "mint", ...(delegationId && { delegationId }) } })
          }
        />
      )}
      {token.kind === "paste" && <TokenField {...{ token, errors, onChange }} />}
    </div>
  );
}

const WHO_PAYS: Record<RequestDraft["token"]["kind"], string> = {
  test: "Your test customer pays with test money. Its permission covers one call and ends with the run.",
  mint: "You pay. The permission covers one call and ends with the run.",
  wallet: "A wallet in this browser signs the payment, for sellers that accept exact.",
  paste: "The account of the token pays. The token stays valid after the run.",
  none: "The run ends at the offer, so nothing is paid.",
};

type TokenFieldProps = Pick<RequestTabProps, "errors" | "onChange"> & {
  token: Extract<RequestDraft["token"], { kind: "paste" }>;
};

/** A token to paste, or the one that was minted before this page, masked. */
function TokenField({ token, errors, onChange }: TokenFieldProps) {
  if (token.isMinted) {
    return (
      <div className="grid justify-items-start gap-2">
        <code data-masked-token className="wrap-anywhere text-note">
          {maskToken(token.token)}
        </code>
        <p className="text-ink-2 text-note">
          The token you just minted. Kept on this page only: reloading it removes the token.
        </p>
        <Button onClick={() => onChange({ token: { kind: "paste", token: "" } })}>
          Use another token
        </Button>
      </div>
    );
  }
  return (
    <TextAreaField
      label="Access token"
      hint="Kept on this page only, never in the history or a shared run."
      error={errors.token}
      isMono
      rows={4}
      value={token.token}
      onChange={(event) => onChange({ token: { kind: "paste", token: event.target.value } })}
    />
  );
}

export function OptionsTab({ draft, errors, onChange }: RequestTabProps) {
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
          {draft.from === "server" && "The service sends the request and sees every header."}
          {draft.from === "browser" &&
            "This page sends the request, so CORS applies: the browser hides what the agent does not allow it to show."}
          {draft.from === "both" &&
            "Sends the request without payment from both and compares them. The server pays."}
        </p>
      </div>
      <Field label="Time limit" hint="How long each request may take, with its whole response.">
        <Select
          options={TIME_LIMITS.map((secs) => ({ value: String(secs), label: limitText(secs) }))}
          value={String(draft.limitSecs)}
          onValueChange={(secs) => onChange({ limitSecs: Number(secs) })}
        />
      </Field>
      <TextField
        label="Maximum credits"
        isOptional
        hint="More expensive offers are not paid."
        error={errors.maxCredits}
        inputMode="numeric"
        value={draft.maxCredits}
        onChange={(event) => onChange({ maxCredits: event.target.value })}
      />
      <TextField
        label="Maximum for this run"
        isOptional
        hint="In USDC, for sellers that accept exact. Default: 1 USDC."
        error={errors.maxDollars}
        inputMode="decimal"
        value={draft.maxDollars}
        onChange={(event) => onChange({ maxDollars: event.target.value.trim() })}
      />
      <TextField
        label="Plan"
        isOptional
        hint="The plan ID, if the agent offers several plans."
        isMono
        value={draft.planId}
        onChange={(event) => onChange({ planId: event.target.value.trim() })}
      />
      <Field label="Scheme" isOptional hint="Overrides the scheme of the offer.">
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

type DelegationChoiceProps = {
  value: string | undefined;
  onChange: (delegationId: string | undefined) => void;
};

/** The delegation a token spends within; without one, the service creates it. */
function DelegationChoice({ value, onChange }: DelegationChoiceProps) {
  const { data, refetch } = useQuery(readQuery("listDelegations", { limit: 50, state: "live" }));
  const active = data?.items.filter(({ status }) => status === "Active") ?? [];
  const options = [
    { value: "", label: "New, for this call only" },
    ...active.map(({ delegationId, name, provider, expiresAt }) => ({
      value: delegationId,
      label: name ?? `${delegationId.slice(0, 12)}…`,
      note: `${provider === "erc4337" ? "On-chain" : "Card"}, expires ${absoluteTime(new Date(expiresAt))}`,
    })),
  ];
  return (
    <Field label="Delegation" hint="The token for this call spends within its limits.">
      <Select
        options={options}
        value={value ?? ""}
        // A delegation may have been created or revoked elsewhere meanwhile.
        onOpen={() => void refetch()}
        onValueChange={(id) => onChange(id === "" ? undefined : id)}
      />
    </Field>
  );
}
