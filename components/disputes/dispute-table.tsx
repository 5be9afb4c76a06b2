"use client";

import type { Dispute } from "@turnpike/payments/protocol";
import { createTable } from "../ui/data/create-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { Address } from "../ui/values/address.tsx";
import { currencyMoney } from "../ui/values/currency-money.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { disputeState, needsEvidence, reasonText } from "./dispute-text.ts";

/** A dispute at the service's time. */
type Row = Dispute & { now: string };

const columns: DataColumns<Row> = [
  {
    id: "planName",
    head: "Plan",
    phone: "title",
    opens: true,
  },
  {
    id: "subscriber",
    label: "Subscriber",
    hasActions: true,
    cell: ({ subscriber }) => <Address value={subscriber} name="subscriber" />,
  },
  {
    id: "reason",
    head: "Reason",
    phone: "line",
    cell: ({ reason }) => (
      <span className="inline-block first-letter:uppercase">{reasonText(reason)}</span>
    ),
  },
  {
    id: "respondBy",
    label: "Respond by",
    phone: "line",
    cell: (row) =>
      row.respondBy && needsEvidence(row, row.now) ? (
        <TimeAgo at={row.respondBy} form="full" />
      ) : (
        "–"
      ),
  },
  {
    id: "status",
    head: "Status",
    cell: (row) => <StatePill state={disputeState(row, row.now)} />,
  },
  {
    id: "amount",
    head: "Amount",
    align: "end",
    phone: "end",
    cell: ({ amount, currency }) => currencyMoney(amount, currency),
  },
];

/** A builder's chargebacks; a row leads to its evidence. */
export const DisputeTable = createTable<Row>({
  caption: "Disputes",
  columns,
  rowId: ({ disputeId }) => disputeId,
  hrefOf: ({ disputeId }) => `/balance/disputes/${disputeId}`,
});
