"use client";

import type { AuditEntry } from "@turnpike/payments/protocol";
import { useMemo, useState } from "react";
import { DataTable, type ListProps } from "../ui/data/data-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { DiffView } from "../ui/data/diff-view.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { absoluteTime, clockText, dateText } from "../ui/values/time-text.ts";
import { actionText, actorText, subjectHref } from "./audit-text.ts";

type AuditTableProps = ListProps & {
  entries: AuditEntry[];
  keyNames: Record<string, string>;
};

/** Changes of an account: what, of which object, by whom and from where; a row opens to what it replaced. */
export function AuditTable({ entries, keyNames, ...table }: AuditTableProps) {
  const [openId, setOpenId] = useState<string>();
  const columns = useMemo<DataColumns<AuditEntry>>(
    () => [
      {
        id: "action",
        head: "Change",
        phone: "title",
        opens: true,
        cell: ({ action }) => actionText(action),
      },
      {
        id: "subject",
        head: "Object",
        hasActions: true,
        cell: (entry) => {
          const href = subjectHref(entry);
          return (
            <span className="inline-flex items-center gap-2">
              <Identifier value={entry.subject} name="ID" />
              {href && <TextLink href={href}>View</TextLink>}
            </span>
          );
        },
      },
      { id: "keyId", label: "By", cell: (entry) => actorText(entry, keyNames) },
      {
        id: "address",
        label: "IP address",
        cell: ({ address }) => <span className="font-mono text-small">{address ?? "–"}</span>,
      },
      {
        id: "createdAt",
        head: "Time (UTC)",
        align: "end",
        phone: "end",
        cell: ({ createdAt }) => <TimeInUtc at={new Date(createdAt)} />,
      },
    ],
    [keyNames],
  );
  return (
    <DataTable
      caption="Changes"
      columns={columns}
      rows={entries}
      rowId={({ entryId }) => entryId}
      onOpen={({ entryId }) => setOpenId(entryId === openId ? undefined : entryId)}
      openId={openId}
      expansionOf={(entry) => entry.entryId === openId && <Replaced {...entry} />}
      {...table}
    />
  );
}

/** A time whose zone is said once, by the column. */
const TimeInUtc = ({ at }: { at: Date }) => (
  <time dateTime={at.toISOString()} title={absoluteTime(at)} className="whitespace-nowrap">
    {dateText(at)} {clockText(at)}
  </time>
);

function Replaced({ action, before, after, requestId }: AuditEntry) {
  return (
    <div className="grid gap-2 py-2">
      {after ? (
        <DiffView
          label={`What “${actionText(action)}” replaced`}
          before={linesOf(before)}
          after={linesOf(after)}
          beforeName="Before"
          afterName="After"
        />
      ) : (
        <p className="text-ink-2">This change replaced nothing.</p>
      )}
      <p className="text-ink-2 text-small">
        Request <Identifier value={requestId} name="request ID" />
      </p>
    </div>
  );
}

const linesOf = (members: Record<string, unknown> | undefined) =>
  JSON.stringify(members ?? {}, null, 2);
