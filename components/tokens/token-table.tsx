"use client";

import type { TokenSummary } from "@turnpike/payments/protocol";
import { useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data/data-table.tsx";
import { columnsOf } from "../ui/data/data-table-columns.ts";
import { groupDigits } from "../ui/values/money-text.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { RevokeToken, type RevokeTokenAction } from "./revoke-token.tsx";

type Row = TokenSummary & { onRevoke: () => void; now: string };

const column = columnsOf<Row>();
const columns = column.columns([
  column.accessor("tokenId", {
    header: "Token",
    meta: { phone: "title", opens: true, className: "font-mono" },
    cell: ({ getValue }) => `…${getValue().slice(-6)}`,
  }),
  column.accessor("planName", {
    header: "Plan",
    meta: { phone: "title", className: "font-medium wrap-anywhere" },
  }),
  column.accessor("agentName", {
    header: "Agent",
    meta: { phoneLabel: "Agent" },
    cell: ({ getValue }) => getValue() ?? "Any agent",
  }),
  column.accessor("issuedAt", {
    header: "Minted",
    meta: { phoneLabel: "Minted" },
    cell: ({ getValue, row }) => <TimeAgo at={getValue()} now={row.original.now} />,
  }),
  column.accessor("lastUsedAt", {
    header: "Last used",
    meta: { phoneLabel: "Last used" },
    cell: ({ getValue, row }) => {
      const at = getValue();
      return at ? (
        <TimeAgo at={at} now={row.original.now} />
      ) : (
        <span className="text-ink-2">Never</span>
      );
    },
  }),
  column.accessor("redemptionsLeft", {
    header: "Calls left",
    meta: { align: "end", phoneLabel: "Calls left" },
    cell: ({ getValue, row }) => (
      <>
        {groupDigits(getValue())}
        <span className="text-ink-2"> of {groupDigits(row.original.redemptionLimit)}</span>
      </>
    ),
  }),
  column.accessor("delegationName", {
    header: "Delegation",
    meta: { phoneLabel: "Delegation", className: "wrap-anywhere" },
    cell: ({ getValue, row }) => getValue() ?? `…${row.original.delegationId.slice(-6)}`,
  }),
  column.accessor("expiresAt", {
    header: "Expires",
    meta: { phoneLabel: "Expires" },
    cell: ({ getValue, row }) => <TimeAgo at={getValue()} now={row.original.now} />,
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => <StatePill state={getValue()} />,
  }),
  column.actions(
    (row) =>
      row.status === "Active" && (
        <Button
          size="small"
          onClick={row.onRevoke}
          aria-label={`Revoke token …${row.tokenId.slice(-6)}`}
        >
          Revoke
        </Button>
      ),
  ),
]);

type TokenTableProps = {
  tokens: TokenSummary[];
  now: string;
  revokeToken: RevokeTokenAction;
  empty: React.ReactNode;
  foot?: React.ReactNode;
  footActions?: React.ReactNode;
};

/** Tokens by their ids, with what is left of each; never the tokens themselves. */
export function TokenTable({ tokens, now, revokeToken, ...table }: TokenTableProps) {
  const [revoking, setRevoking] = useState<TokenSummary | null>(null);
  const rows = useMemo(
    () => tokens.map((token) => ({ ...token, now, onRevoke: () => setRevoking(token) })),
    [tokens, now],
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
