"use client";

import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { columnsOf } from "../../ui/data/data-table-columns.ts";
import { Empty } from "../../ui/empty.tsx";
import { StatePill } from "../../ui/values/state-pill.tsx";
import { Tag } from "../../ui/values/tag.tsx";
import { TimeAgo } from "../../ui/values/time-ago.tsx";
import { type ApiKey, PRESETS, summaryOf } from "./key-text.ts";

type Row = ApiKey & {
  isIdle: boolean;
  /** The last characters of the key that takes its place. */
  nextLast4: string | undefined;
  onRotate: () => void;
  onRevoke: () => void;
};

const column = columnsOf<Row>();
const columns = column.columns([
  column.accessor("name", {
    header: "Key",
    meta: { phone: "title", className: "font-medium" },
    cell: ({ row: { original: key } }) => (
      <>
        {key.name} <span className="font-mono font-normal text-mono">…{key.last4}</span>
        <span className="block font-normal text-note text-ink-2">
          {key.nextLast4 ? `Replaced by …${key.nextLast4}` : summaryOf(key)}
        </span>
      </>
    ),
  }),
  column.accessor("preset", {
    header: "Preset",
    cell: ({ getValue }) => {
      const preset = getValue();
      return <Tag>{preset === "custom" ? "Custom" : PRESETS[preset].label}</Tag>;
    },
  }),
  column.accessor("lastUsedAt", {
    header: "Last use",
    meta: { phoneLabel: "Last use" },
    cell: ({ getValue }) => {
      const at = getValue();
      return at ? <TimeAgo at={at} /> : "Never";
    },
  }),
  column.accessor("expiresAt", {
    header: "Expires",
    meta: { phoneLabel: "Expires" },
    cell: ({ getValue }) => <TimeAgo at={getValue()} />,
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ row: { original: key } }) => {
      if (key.status === "Active" && key.replacedBy) {
        return (
          <StatePill tone="warn" icon="clock">
            Overlap
          </StatePill>
        );
      }
      return key.isIdle ? (
        <StatePill tone="neutral">Idle</StatePill>
      ) : (
        <StatePill state={key.status} />
      );
    },
  }),
  column.actions(
    (key) =>
      key.status === "Active" && (
        <span className="inline-flex gap-2">
          {!key.replacedBy && (
            <Button size="small" aria-label={`Rotate ${key.name}`} onClick={key.onRotate}>
              Rotate
            </Button>
          )}
          <Button size="small" aria-label={`Revoke ${key.name}`} onClick={key.onRevoke}>
            {key.replacedBy ? "Revoke now" : "Revoke"}
          </Button>
        </span>
      ),
  ),
]);

type KeyTableProps = {
  keys: Row[];
  /** The account has keys, in the other list. */
  hasOthers: boolean;
};

/** API keys, newest first, by their last four characters. */
export function KeyTable({ keys, hasOthers }: KeyTableProps) {
  return (
    <DataTable
      caption="API keys"
      columns={columns}
      rows={keys}
      rowId={({ keyId }) => keyId}
      empty={
        hasOthers ? (
          <Empty kind="first" headingLevel={2} title="No keys here">
            Your other keys are in the other list.
          </Empty>
        ) : (
          <Empty kind="first" headingLevel={2} title="No API keys yet">
            With an API key, an agent or a script acts for you, within the rights that you give it.
          </Empty>
        )
      }
    />
  );
}
