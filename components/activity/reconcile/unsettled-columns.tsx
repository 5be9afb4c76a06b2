import type { UnsettledAdvice, UnsettledRequest } from "@turnpike/payments/protocol";
import { Button } from "../../ui/button.tsx";
import { actionsColumn, type DataColumns } from "../../ui/data/data-table-columns.ts";
import { groupDigits } from "../../ui/values/money-text.ts";
import { TimeAgo } from "../../ui/values/time-ago.tsx";
import { type Names, nameOf } from "../names.ts";
import { Endpoint, HttpCell, MoneyCell } from "../request-cells.tsx";

/** What happens on its own, and what the builder can do. */
const ADVICE: Record<UnsettledAdvice, string> = {
  settle:
    "The gate’s journal retries automatically. You can also settle it here; it is charged once.",
  gate: "The gate retries automatically. Turnpike can’t settle this call because it doesn’t store tokens.",
  ended: "The token expired or was revoked. It can’t be charged any more; write it off.",
  order:
    "Insufficient credits. The gate retries for ten minutes. After that, settle it here once the subscriber has bought more.",
};

/** A request in the queue with its actions. */
type Row = UnsettledRequest & {
  names: Names;
  isBusy: boolean;
  onCheck: () => void;
  onSettle: () => void;
  onWriteOff: () => void;
};

export const UNSETTLED_COLUMNS: DataColumns<Row> = [
  { id: "at", label: "Received", isTime: true },
  {
    id: "endpoint",
    head: "Endpoint",
    phone: "title",
    className: "max-sm:wrap-anywhere sm:min-w-40 sm:max-w-64",
    cell: (row) => (
      <div className="grid gap-0.5 py-1">
        <span className="sm:truncate">
          <Endpoint record={row} />
        </span>
        <span className="text-ink-2 text-small">{nameOf(row.names.plans, row.planId)}</span>
      </div>
    ),
  },
  { id: "http", label: "HTTP", cell: (row) => <HttpCell record={row} /> },
  { id: "money", label: "Payment", cell: (row) => <MoneyCell record={row} /> },
  {
    id: "creditsDue",
    label: "Credits due",
    align: "end",
    cell: ({ creditsDue }) =>
      creditsDue === undefined ? "Unknown" : `Up to ${groupDigits(creditsDue)}`,
  },
  {
    id: "advice",
    head: "What happens next",
    phone: "line",
    cell: (row) => (
      <p className="max-w-[46ch] py-1 text-ink-2">
        {ADVICE[row.advice]}
        {row.advice === "settle" && row.settleBefore && (
          <>
            {" "}
            Possible until <TimeAgo at={row.settleBefore} form="full" />.
          </>
        )}
      </p>
    ),
  },
  actionsColumn(
    (row) => (
      <>
        <Button size="small" onClick={row.onCheck} isPending={row.isBusy}>
          Check
        </Button>
        {row.advice === "settle" && (
          <Button size="small" onClick={row.onSettle}>
            Settle
          </Button>
        )}
        <Button size="small" onClick={row.onWriteOff}>
          Write off
        </Button>
      </>
    ),
    { phone: "line" },
  ),
];
