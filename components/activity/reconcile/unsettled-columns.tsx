"use client";

import type { UnsettledAdvice, UnsettledRequest } from "@turnpike/payments/protocol";
import { Button } from "../../ui/button.tsx";
import { columnsOf } from "../../ui/data/data-table-columns.ts";
import { groupDigits } from "../../ui/values/money-text.ts";
import { TimeAgo } from "../../ui/values/time-ago.tsx";
import { type Names, nameOf } from "../names.ts";
import { OUTCOME_COLUMNS } from "../outcome-columns.tsx";
import { Endpoint } from "../request-cells.tsx";

/** What happens on its own, and what the builder can do. */
const ADVICE: Record<UnsettledAdvice, string> = {
  settle:
    "The gate’s journal retries automatically. You can also settle it here; it is charged once.",
  gate: "Only the gate’s journal can settle it: the service doesn’t store tokens. It retries automatically.",
  ended: "The token expired or was revoked. It can’t be charged any more; write it off.",
  order: "Insufficient credits. The gate’s journal settles it once the subscriber buys more.",
};

/** A request in the queue with its actions. */
type Row = UnsettledRequest & {
  names: Names;
  now: string;
  isBusy: boolean;
  onCheck: () => void;
  onSettle: () => void;
  onWriteOff: () => void;
};

const column = columnsOf<Row>();
export const UNSETTLED_COLUMNS = column.columns([
  column.accessor("at", {
    header: "Age",
    meta: { phoneLabel: "Age" },
    cell: ({ row: { original } }) => <TimeAgo at={original.at} now={original.now} />,
  }),
  column.display({
    id: "endpoint",
    header: "Endpoint",
    meta: { phone: "title", className: "max-sm:wrap-anywhere sm:min-w-40 sm:max-w-64" },
    cell: ({ row: { original } }) => (
      <div className="grid gap-0.5 py-1">
        <span className="sm:truncate">
          <Endpoint record={original} />
        </span>
        <span className="text-ink-2 text-small">
          {nameOf(original.names.plans, original.planId)}
        </span>
      </div>
    ),
  }),
  ...OUTCOME_COLUMNS,
  column.accessor("creditsDue", {
    header: "Credits due",
    meta: { align: "end", phoneLabel: "Credits due" },
    cell: ({ getValue }) => {
      const due = getValue();
      return due === undefined ? "Unknown" : `Up to ${groupDigits(due)}`;
    },
  }),
  column.accessor("advice", {
    header: "What happens next",
    meta: { phone: "title" },
    cell: ({ row: { original } }) => (
      <p className="max-w-[46ch] py-1 text-ink-2">
        {ADVICE[original.advice]}
        {original.advice === "settle" && original.settleBefore && (
          <>
            {" "}
            Possible until <TimeAgo at={original.settleBefore} form="full" />.
          </>
        )}
      </p>
    ),
  }),
  column.actions(
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
    { phone: "title" },
  ),
]);
