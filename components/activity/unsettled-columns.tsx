"use client";

import type { UnsettledAdvice, UnsettledRequest } from "@turnpike/payments/protocol";
import { Button } from "../ui/button.tsx";
import { columnsOf } from "../ui/data/data-table-columns.ts";
import { groupDigits } from "../ui/values/money-text.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { type Names, nameOf } from "./names.ts";
import { OUTCOME_COLUMNS } from "./outcome-columns.tsx";
import { Endpoint } from "./request-cells.tsx";

/** What will happen to it by itself, and what can be done here. */
const ADVICE: Record<UnsettledAdvice, string> = {
  settle:
    "The gate’s journal tries again by itself. You can settle it here as well; it is taken once.",
  gate: "Only the gate’s journal can settle it: the service keeps no tokens. It tries again by itself.",
  ended: "The permission ended or was revoked. Nothing can be taken any more; write it off.",
  order:
    "The balance is too short. The journal settles it once the subscriber has ordered credits.",
};

/** A call of the queue with what can be done about it. */
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
      return due === undefined ? "Not known" : `Up to ${groupDigits(due)}`;
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
            Until <TimeAgo at={original.settleBefore} form="full" />.
          </>
        )}
      </p>
    ),
  }),
  column.display({
    id: "actions",
    header: () => <span className="sr-only">Actions</span>,
    meta: { align: "end", phone: "title", hasActions: true },
    cell: ({ row: { original } }) => (
      <>
        <Button size="small" onClick={original.onCheck} isPending={original.isBusy}>
          Check
        </Button>
        {original.advice === "settle" && (
          <Button size="small" onClick={original.onSettle}>
            Settle
          </Button>
        )}
        <Button size="small" onClick={original.onWriteOff}>
          Write off
        </Button>
      </>
    ),
  }),
]);
