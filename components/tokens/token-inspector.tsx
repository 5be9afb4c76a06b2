"use client";

import type { Environment } from "@turnpike/payments/protocol";
import { useMemo, useState } from "react";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { DataTable } from "../ui/data/data-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { JsonTree } from "../ui/data/json-tree.tsx";
import { TextAreaField } from "../ui/fields/text-field.tsx";
import { Notice } from "../ui/notice.tsx";
import { useNow } from "../ui/values/clock-provider.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { type Inspection, inspectToken, type TokenField } from "./inspect-fields.ts";
import { mintAgainHrefOf } from "./mint-again.ts";

/** Any token, field by field. What is pasted stays in this page's memory. */
export function TokenInspector({ environment }: { environment: Environment }) {
  const [text, setText] = useState("");
  const readNow = useNow();
  const inspection = useMemo(
    () => (text.trim() ? inspectToken(text, readNow()) : null),
    [text, readNow],
  );
  return (
    <div className="grid gap-6">
      <TextAreaField
        label="Access token"
        hint="Decoded in your browser. The token is not uploaded or stored."
        rows={4}
        isMono
        placeholder="Paste a token or the whole payment-signature header"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div aria-live="polite" className="grid gap-6">
        {inspection?.isToken && <Decoded {...inspection} />}
        {inspection?.isToken === false &&
          (inspection.keyOf ? (
            <KeyNotice keyOf={inspection.keyOf} environment={environment} />
          ) : (
            <Notice
              tone="refused"
              title="This access token cannot be read."
              code="invalid_token"
              action={<ButtonLink href="/tokens/new">Mint a new token</ButtonLink>}
            >
              It may be cut off or changed. Paste the whole token.
            </Notice>
          ))}
      </div>
    </div>
  );
}

function Decoded({ token, fields, isExpired }: Extract<Inspection, { isToken: true }>) {
  return (
    <>
      {isExpired && (
        <Notice
          tone="neutral"
          title="This access token has expired. Agents decline it."
          code="expired_token"
          action={
            <ButtonLink href={mintAgainHrefOf(token)}>Mint again with same options</ButtonLink>
          }
        />
      )}
      <Card isPadded={false} className="border-0">
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <h2 className="me-auto text-h2">Fields</h2>
          <StatePill tone="neutral" icon="info">
            {token.payload.authorization.cnf
              ? "Bound to a key: calls must be signed"
              : "Bearer token: anyone who has it can use it"}
          </StatePill>
          <StatePill tone="neutral" icon="info">
            Signature not checked here
          </StatePill>
        </div>
        <DataTable
          caption="Fields of the token"
          columns={columns}
          rows={fields}
          rowId={({ path }) => path}
        />
      </Card>
      <section aria-labelledby="raw" className="grid gap-3">
        <h2 id="raw" className="text-h2">
          JSON
        </h2>
        <JsonTree value={token} label="The token as JSON" openLevels={2} />
      </section>
    </>
  );
}

const columns: DataColumns<TokenField> = [
  { id: "path", head: "Path", phone: "title", className: "font-mono text-small" },
  {
    id: "value",
    head: "Value",
    className: "max-w-80 max-sm:max-w-none",
    cell: (row) => (
      <>
        {row.human && <span className="block font-medium">{row.human}</span>}
        <span className="wrap-anywhere font-mono text-small">{row.value}</span>{" "}
        <CopyButton text={row.value} label={`Copy ${row.path}`} />
      </>
    ),
  },
  { id: "meaning", head: "Meaning", className: "text-ink-2 max-sm:col-span-full" },
];

const WORD: Record<Environment, string> = { sandbox: "Sandbox", live: "Live" };

/** An API key was pasted: which environment it is of, and where to get what is needed here. */
function KeyNotice({ keyOf, environment }: { keyOf: Environment; environment: Environment }) {
  const isOther = keyOf !== environment;
  return (
    <Notice
      tone="refused"
      title={
        isOther
          ? `This is a ${WORD[keyOf]} key; you are in ${WORD[environment]}.`
          : "This is an API key, not an access token."
      }
      code={isOther ? "wrong_environment" : "invalid_token"}
      action={
        isOther ? (
          <ButtonLink href="/settings/api-keys">Use a {WORD[environment]} key</ButtonLink>
        ) : (
          <ButtonLink href="/tokens/new">Mint a token</ButtonLink>
        )
      }
    >
      {isOther ? "It works only there. " : ""}Anyone with an API key can act for its account: keep
      it secret.
    </Notice>
  );
}
