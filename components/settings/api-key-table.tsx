"use client";

import type { OutputOf } from "@turnpike/payments/protocol";
import { useState } from "react";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data/data-table.tsx";
import { actionsColumn, type DataColumns } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";

export type ApiKey = OutputOf<"listApiKeys">["items"][number];
type ApiKeyTableProps = {
  keys: ApiKey[];
  revokeApiKey: (keyId: string) => Promise<ActionAnswer<unknown>>;
};
type Row = ApiKey & { onRevoke: () => void };

const columns: DataColumns<Row> = [
  { id: "name", head: "Name", phone: "title", className: "font-medium" },
  {
    id: "last4",
    head: "Ends in",
    phoneLabel: "Ends in",
    cell: ({ last4 }) => <span className="font-mono">…{last4}</span>,
  },
  {
    id: "createdAt",
    head: "Created",
    phoneLabel: "Created",
    cell: ({ createdAt }) => <TimeAgo at={createdAt} />,
  },
  {
    id: "lastUsedAt",
    head: "Last used",
    phoneLabel: "Last used",
    cell: ({ lastUsedAt }) => (lastUsedAt ? <TimeAgo at={lastUsedAt} /> : "Never"),
  },
  {
    id: "expiresAt",
    head: "Expires",
    phoneLabel: "Expires",
    cell: ({ expiresAt }) => <TimeAgo at={expiresAt} />,
  },
  { id: "status", head: "Status", cell: ({ status }) => <StatePill state={status} /> },
  actionsColumn(
    (row) =>
      row.status === "Active" && (
        <Button size="small" onClick={row.onRevoke}>
          Revoke
        </Button>
      ),
  ),
];

/** The account's API keys, newest first, by their last four characters. */
export function ApiKeyTable({ keys, revokeApiKey }: ApiKeyTableProps) {
  const [asked, setAsked] = useState<ApiKey | null>(null);
  const rows = keys.map((key) => ({ ...key, onRevoke: () => setAsked(key) }));
  return (
    <>
      <DataTable
        caption="API keys"
        columns={columns}
        rows={rows}
        rowId={({ keyId }) => keyId}
        empty={
          <Empty kind="first" headingLevel={2} title="No API keys yet">
            With an API key, an agent or a script can register plans, mint access tokens, and verify
            and settle payments for you.
          </Empty>
        }
      />
      {asked && (
        <OperationDialog
          title={`Revoke “${asked.name}”?`}
          description="It stops working immediately. You can’t undo this."
          effects={[
            {
              icon: "cross",
              title: `Requests with the key ending in ${asked.last4} are rejected`,
              detail: "Agents that verify and settle with it return 503 until they get a new key.",
            },
            { icon: "check", title: "Access tokens, plans and credits don’t change" },
          ]}
          safe="Keep it"
          verb="Revoke key"
          failed="The key was not revoked."
          run={() => revokeApiKey(asked.keyId)}
          onDone={() => toast(`“${asked.name}” revoked`)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}
