"use client";

import type { Refund, RefundStatus } from "@turnpike/payments/protocol";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { DataTable, type ListProps } from "../ui/data/data-table.tsx";
import { actionsColumn, type DataColumns } from "../ui/data/data-table-columns.ts";
import { Identifier } from "../ui/values/identifier.tsx";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { type RefundActions, RefundDialog } from "./refund-dialog.tsx";
import { REFUND_STATES, refundText } from "./refund-text.ts";

type Row = Refund & { planName: string; onReview?: () => void };

const BY: Record<Refund["madeBy"], string> = {
  builder: "by you",
  subscriber: "requested",
  rule: "by rule",
  processor: "at the processor",
};

const columns: DataColumns<Row> = [
  {
    id: "reason",
    head: "Reason",
    phone: "title",
    cell: ({ reason, createdAt, madeBy }) => (
      <span className="grid">
        <span className="wrap-anywhere font-medium">{reason ?? "No reason given"}</span>
        <span className="text-ink-2 text-note">
          <TimeAgo at={createdAt} />, {BY[madeBy]}
        </span>
      </span>
    ),
  },
  {
    id: "planName",
    head: "Plan and subscriber",
    cell: ({ planName, subscriber }) => (
      <span className="grid">
        <span className="wrap-anywhere font-medium">{planName}</span>
        <span className="font-mono text-ink-2 text-small">{shortenIdentifier(subscriber)}</span>
      </span>
    ),
  },
  {
    id: "orderId",
    head: "Order or call",
    hasActions: true,
    phone: "hidden",
    cell: ({ orderId, agentRequestId }) => (
      <Identifier
        value={agentRequestId ?? orderId ?? ""}
        name={agentRequestId ? "request ID" : "order ID"}
      />
    ),
  },
  {
    id: "status",
    head: "Status",
    cell: ({ status, failure }) => (
      <span className="grid justify-items-start gap-0.5">
        <StatePill state={REFUND_STATES[status]} />
        {failure && <span className="text-ink-2 text-note">{failure.message}</span>}
      </span>
    ),
  },
  {
    id: "amount",
    label: "Amount",
    align: "end",
    cell: (row) => <span className="font-medium tabular-nums">{refundText(row)}</span>,
  },
  actionsColumn(({ onReview, subscriber }) =>
    onReview ? (
      <Button
        size="small"
        aria-label={`Review the request of ${shortenIdentifier(subscriber)}`}
        onClick={onReview}
      >
        Review
      </Button>
    ) : undefined,
  ),
];

type RefundTableProps = ListProps & {
  refunds: (Refund & { planName: string })[];
  actions: RefundActions;
};

export function RefundTable({ refunds, actions, ...table }: RefundTableProps) {
  const [open, setOpen] = useState<Refund & { planName: string }>();
  const rows = refunds.map((row): Row => {
    const isWaiting: boolean = row.status === ("requested" satisfies RefundStatus);
    return isWaiting ? { ...row, onReview: () => setOpen(row) } : row;
  });
  return (
    <>
      <DataTable
        caption="Refunds"
        columns={columns}
        rows={rows}
        rowId={({ refundId }) => refundId}
        {...table}
      />
      {open && <RefundDialog request={open} actions={actions} onClose={() => setOpen(undefined)} />}
    </>
  );
}
