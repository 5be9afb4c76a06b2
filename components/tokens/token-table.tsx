"use client";

import type { TokenSummary } from "@turnpike/payments/protocol";
import { useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { DataTable, type ListProps } from "../ui/data/data-table.tsx";
import { actionsColumn, type DataColumns } from "../ui/data/data-table-columns.ts";
import { groupDigits } from "../ui/values/money-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { RevokeToken, type RevokeTokenAction } from "./revoke-token.tsx";

type Row = TokenSummary & { onRevoke: () => void };

const isOver = ({ status }: Row) => status === "Revoked" || status === "Expired";

const columns: DataColumns<Row> = [
  {
    id: "tokenId",
    head: "Token",
    phone: "title",
    opens: true,
    className: "font-mono",
    cell: ({ tokenId }) => shortenIdentifier(tokenId),
  },
  { id: "planName", head: "Plan", phone: "title", className: "font-medium wrap-anywhere" },
  { id: "agentName", label: "Agent", cell: ({ agentName }) => agentName ?? "Any agent" },
  { id: "issuedAt", label: "Minted", isTime: true },
  {
    id: "lastUsedAt",
    label: "Last used",
    isTime: true,
    none: <span className="text-ink-2">Never</span>,
  },
  {
    id: "redemptionsLeft",
    label: "Calls left",
    align: "end",
    cell: (row) =>
      isOver(row) ? (
        "–"
      ) : (
        // One element: on phones a labelled cell spreads its children over the line.
        <span>
          {groupDigits(row.redemptionsLeft)}
          <span className="text-ink-2"> of {groupDigits(row.redemptionLimit)}</span>
        </span>
      ),
  },
  {
    id: "delegationName",
    label: "Delegation",
    className: "wrap-anywhere",
    cell: (row) => row.delegationName ?? shortenIdentifier(row.delegationId),
  },
  {
    id: "expiresAt",
    label: "Expires",
    cell: (row) => (row.status === "Revoked" ? "–" : <TimeAgo at={row.expiresAt} />),
  },
  { id: "status", head: "Status", cell: ({ status }) => <StatePill state={status} /> },
  actionsColumn(
    (row) =>
      row.status === "Active" && (
        <Button
          size="small"
          onClick={row.onRevoke}
          aria-label={`Revoke token ${shortenIdentifier(row.tokenId)}`}
        >
          Revoke
        </Button>
      ),
  ),
];

type TokenTableProps = ListProps & {
  tokens: TokenSummary[];
  revokeToken: RevokeTokenAction;
};

/** Tokens by their ids, with what is left of each; never the tokens themselves. */
export function TokenTable({ tokens, revokeToken, ...table }: TokenTableProps) {
  const [revoking, setRevoking] = useState<TokenSummary | null>(null);
  const rows = useMemo(
    () => tokens.map((token) => ({ ...token, onRevoke: () => setRevoking(token) })),
    [tokens],
  );
  return (
    <>
      <DataTable
        caption="Access tokens"
        columns={columns}
        rows={rows}
        rowId={({ tokenId }) => tokenId}
        hrefOf={({ tokenId }) => `/tokens/${tokenId}`}
        {...table}
      />
      {revoking && (
        <RevokeToken token={revoking} revokeToken={revokeToken} onClose={() => setRevoking(null)} />
      )}
    </>
  );
}
