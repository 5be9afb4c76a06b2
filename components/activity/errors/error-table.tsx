"use client";

import type { Role } from "@turnpike/payments/protocol";
import { useMemo } from "react";
import { explainAttempt } from "@/lib/console/attempt-remedies.ts";
import type { CauseCount } from "@/lib/console/figures.ts";
import { plural } from "@/lib/text/plural.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import type { DataColumns } from "../../ui/data/data-table-columns.ts";
import { Empty } from "../../ui/empty.tsx";
import { NearLink } from "../../ui/links/near-link.tsx";
import { WhoActsTag } from "../attempt/who-acts-tag.tsx";
import { type ActivityFilter, activityHref } from "../filter/activity-filter.ts";
import { RANGE_WORDS } from "../series-points.ts";
import { changeText, fixPrompt } from "./fix-prompt.ts";

type ErrorScope = Pick<ActivityFilter, "role" | "range"> & { tests?: "1" | undefined };
type ErrorTableProps = ErrorScope & { causes: CauseCount[] };

/** What kept calls from being paid: how often, against the period before, who acts, and the one remedy. */
export function ErrorTable({ causes, role, range, tests }: ErrorTableProps) {
  const columns = useMemo(() => columnsFor({ role, range, tests }), [role, range, tests]);
  return (
    <DataTable
      caption="Errors by cause"
      columns={columns}
      rows={causes}
      rowId={({ cause, moneyStatus }) => `${cause} ${moneyStatus}`}
      empty={
        <Empty kind="filtered" title={`No errors in the last ${RANGE_WORDS[range]}`}>
          Declined, unsettled and failed requests appear here, grouped by cause.
        </Empty>
      }
    />
  );
}

const columnsFor = ({ role, range, tests }: ErrorScope): DataColumns<CauseCount> => [
  {
    id: "cause",
    head: "Cause",
    phone: "title",
    cell: (row) => <Cause row={row} role={role} />,
  },
  {
    id: "calls",
    label: "Calls",
    align: "end",
    cell: (row) => (
      <NearLink
        href={activityHref({ role, range, money: [row.moneyStatus], cause: row.cause }, { tests })}
        className="link relative tabular-nums after:absolute after:-inset-2"
        aria-label={`${plural(row.calls, "call")}: ${explainAttempt(row, role).title}`}
      >
        {row.calls}
      </NearLink>
    ),
  },
  {
    id: "change",
    label: "Change",
    align: "end",
    cell: (row) => (
      <span title={`${plural(row.previous, "call")} in the period before`}>{changeText(row)}</span>
    ),
  },
  { id: "lastAt", label: "Last seen", isTime: true, className: "max-lg:sm:hidden" },
  {
    id: "remedy",
    head: "Remedy",
    align: "end",
    phone: "end",
    hasActions: true,
    cell: (row) => <Remedy row={row} role={role} />,
  },
];

function Cause({ row, role }: { row: CauseCount; role: Role }) {
  const { title, remedy } = explainAttempt(row, role);
  const { route, routes, payers, whoActs } = row;
  const facts = [
    routes > 1 ? plural(routes, "endpoint") : route.trim(),
    role === "builder" && payers > 0 ? plural(payers, "customer") : "",
  ].filter(Boolean);
  return (
    <div className="grid gap-0.5 py-1">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        {title} <WhoActsTag whoActs={whoActs} role={role} />
      </p>
      <p className="max-w-[60ch] text-ink-2">{remedy}</p>
      {facts.length > 0 && (
        <p className="wrap-anywhere font-mono text-ink-2 text-small">{facts.join(", ")}</p>
      )}
    </div>
  );
}

/** The button that ends it; where no page of ours does, a prompt for the builder's code. */
function Remedy({ row, role }: { row: CauseCount; role: Role }) {
  const { action } = explainAttempt(row, role);
  const isOwnCode =
    role === "builder" && row.whoActs === "builder" && row.moneyStatus === "not-charged";
  return (
    <>
      {action && !isOwnCode && (
        <ButtonLink size="small" href={action.href}>
          {action.label}
        </ButtonLink>
      )}
      {isOwnCode && <CopyText size="small" text={() => fixPrompt(row)} />}
      <NearLink
        href={`/activity/${encodeURIComponent(row.agentRequestId)}`}
        aria-label={`Latest call: ${explainAttempt(row, role).title}`}
        className="link inline-flex min-h-6 items-center px-2 text-small"
      >
        Latest call
      </NearLink>
    </>
  );
}
