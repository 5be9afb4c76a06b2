"use client";

import Link from "next/link";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { actionsColumn, type DataColumns } from "../../ui/data/data-table-columns.ts";
import { Empty } from "../../ui/empty.tsx";
import { MoneyStatus } from "../../ui/values/money-status.tsx";
import { TimeAgo } from "../../ui/values/time-ago.tsx";
import { adviceFor, type ErrorGroup, fixPrompt } from "./error-groups.ts";

const columns: DataColumns<ErrorGroup> = [
  {
    id: "reason",
    head: "Reason",
    phone: "title",
    cell: (row) => {
      const { title, fix } = adviceFor(row);
      return (
        <div className="grid gap-0.5 py-1">
          <p className="font-medium">
            {title}{" "}
            <code className="text-ink-2 text-small">{row.reason === title ? "" : row.reason}</code>
          </p>
          <p className="max-w-[60ch] text-ink-2">{fix}</p>
        </div>
      );
    },
  },
  {
    id: "route",
    head: "Route",
    phone: "title",
    cell: (row) => (
      <span className="wrap-anywhere font-mono text-mono sm:block sm:max-w-64 sm:truncate">
        {row.path ? `${row.method} ${row.path}` : "–"}
      </span>
    ),
  },
  { id: "money", head: "Payment", cell: (row) => <MoneyStatus status={row.moneyStatus} /> },
  { id: "count", head: "Count", align: "end", phone: "end", phoneLabel: "Count" },
  {
    id: "firstAt",
    head: "First seen",
    phoneLabel: "First",
    cell: ({ firstAt }) => <TimeAgo at={firstAt} />,
  },
  {
    id: "lastAt",
    head: "Last seen",
    phoneLabel: "Last",
    phone: "end",
    cell: ({ lastAt }) => <TimeAgo at={lastAt} />,
  },
  actionsColumn(
    (row) => (
      <>
        <Link
          href={`/activity/${encodeURIComponent(row.sample.agentRequestId)}`}
          aria-label={`Sample of ${adviceFor(row).title}`}
          className="link inline-flex min-h-6 items-center px-2 text-small"
        >
          Sample
        </Link>
        <CopyPrompt group={row} />
      </>
    ),
    { phone: "start" },
  ),
];

/** What went wrong, by reason and route, and how to fix it. */
export function ErrorTable({ groups, rangeWords }: { groups: ErrorGroup[]; rangeWords: string }) {
  return (
    <DataTable
      caption="Errors by reason and route"
      columns={columns}
      rows={groups}
      rowId={({ key }) => key}
      empty={
        <Empty kind="filtered" title={`No errors in the last ${rangeWords}`}>
          Declined, unsettled and failed requests appear here, grouped by reason and route.
        </Empty>
      }
    />
  );
}

const OUTCOME_MS = 2_000;

function CopyPrompt({ group }: { group: ErrorGroup }) {
  const [outcome, setOutcome] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(fixPrompt(group));
      setOutcome("Copied");
    } catch {
      setOutcome("Copying was blocked");
    }
    setTimeout(() => setOutcome(""), OUTCOME_MS);
  };
  return (
    <>
      <Button size="small" onClick={copy}>
        {outcome || "Copy fix prompt"}
      </Button>
      <span role="status" className="sr-only">
        {outcome}
      </span>
    </>
  );
}
