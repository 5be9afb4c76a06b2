"use client";

import { useState } from "react";
import { plural } from "@/lib/text/plural.ts";
import type { OperationAction } from "../../forms/action-answer.ts";
import { OperationDialog } from "../../forms/operation-dialog.tsx";
import type { Confirmation } from "../../sign-in/use-confirmed.tsx";
import { Button } from "../../ui/button.tsx";
import { SegmentedControl } from "../../ui/fields/segmented-control.tsx";
import { NearLink } from "../../ui/links/near-link.tsx";
import { Notice } from "../../ui/notice.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { type CreateApiKey, draftToRotate, EMPTY_DRAFT, type KeyDraft } from "./key-draft.ts";
import { KeyTable } from "./key-table.tsx";
import { type ApiKey, idleDays, summaryOf } from "./key-text.ts";

type RevokeApiKey = OperationAction<"revokeApiKey">;

type ApiKeysProps = {
  keys: ApiKey[];
  isSandbox: boolean;
  snippet: string;
  /** ISO 8601; the server's, so that both render the same. */
  now: string;
  confirmation: Confirmation;
  createApiKey: CreateApiKey;
  revokeApiKey: RevokeApiKey;
};

export function ApiKeys({ keys, isSandbox, now, revokeApiKey, ...dialog }: ApiKeysProps) {
  const [list, setList] = useState("active");
  const [draft, setDraft] = useState<KeyDraft>();
  const [asked, setAsked] = useState<ApiKey>();
  const isActive = ({ status }: ApiKey) => status === "Active";
  const active = keys.filter(isActive);
  const ended = keys.filter((key) => !isActive(key));
  const at = new Date(now);
  const rotate = (key: ApiKey) => setDraft(draftToRotate(key));
  const last4Of = (id: string | undefined) => keys.find(({ keyId }) => keyId === id)?.last4;
  return (
    <>
      <PageHeader
        title="API keys"
        actions={
          <Button look="primary" onClick={() => setDraft(EMPTY_DRAFT)}>
            Create key
          </Button>
        }
      >
        Give each service a key that can do its work and nothing else. These keys work in{" "}
        {isSandbox ? "the sandbox" : "live"} only.
      </PageHeader>
      <div className="grid gap-4">
        <IdleNotice keys={active} now={at} onRotate={rotate} onRevoke={setAsked} />
        {ended.length > 0 && (
          <SegmentedControl
            label="Status"
            className="justify-self-start"
            options={[
              { value: "active", label: `Active ${active.length}` },
              { value: "ended", label: `Expired or revoked ${ended.length}` },
            ]}
            value={list}
            onValueChange={setList}
          />
        )}
        <KeyTable
          hasOthers={keys.length > 0}
          keys={(list === "ended" && ended.length > 0 ? ended : active).map((key) => ({
            ...key,
            isIdle: idleDays(key, at) !== undefined,
            nextLast4: last4Of(key.replacedBy),
            onRotate: () => rotate(key),
            onRevoke: () => setAsked(key),
          }))}
        />
      </div>
      <KeyDialog
        {...dialog}
        draft={draft}
        keys={active.filter(({ replacedBy }) => !replacedBy)}
        isSandbox={isSandbox}
        onClose={() => setDraft(undefined)}
      />
      {asked && (
        <RevokeDialog of={asked} revokeApiKey={revokeApiKey} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

type IdleNoticeProps = {
  keys: ApiKey[];
  now: Date;
  onRotate: (key: ApiKey) => void;
  onRevoke: (key: ApiKey) => void;
};

/** Names a key that can do everything and is not used. */
function IdleNotice({ keys, now, onRotate, onRevoke }: IdleNoticeProps) {
  const idle = keys.find((key) => key.preset === "full" && idleDays(key, now) !== undefined);
  if (!idle) return null;
  const days = idleDays(idle, now) ?? 0;
  return (
    <Notice
      tone="info"
      title={`${idle.name} can do everything and hasn’t been used for ${plural(days, "day")}.`}
      action={
        <>
          <Button size="small" onClick={() => onRotate(idle)}>
            Replace
          </Button>
          <Button size="small" onClick={() => onRevoke(idle)}>
            Revoke
          </Button>
        </>
      }
    >
      Revoke it, or replace it with a key that can do only what you need.
    </Notice>
  );
}

type RevokeDialogProps = { of: ApiKey; revokeApiKey: RevokeApiKey; onClose: () => void };

function RevokeDialog({ of: key, revokeApiKey, onClose }: RevokeDialogProps) {
  return (
    <OperationDialog
      title={`Revoke “${key.name}”?`}
      description="It stops working immediately. You can’t undo this."
      effects={[
        {
          icon: "cross",
          title: `Requests with the key ending in ${key.last4} are rejected`,
          detail: `It can: ${summaryOf(key)}. Agents that charge calls with it return 503 until they get a new key.`,
        },
        {
          icon: "alert",
          title: "What it created keeps working: access tokens, delegations and keys",
          detail: (
            <>
              If the key leaked, look at{" "}
              <NearLink href={`/settings/audit?key=${key.keyId}`} target="_blank" className="link">
                what was done with it
              </NearLink>{" "}
              and revoke that too.
            </>
          ),
        },
      ]}
      safe="Keep it"
      verb="Revoke key"
      failed="The key was not revoked."
      run={() => revokeApiKey({ keyId: key.keyId })}
      onDone={() => toast(`“${key.name}” revoked`)}
      onClose={onClose}
    />
  );
}
