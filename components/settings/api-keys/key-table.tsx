import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { actionsColumn, type DataColumns } from "../../ui/data/data-table-columns.ts";
import { Empty } from "../../ui/empty.tsx";
import { StatePill } from "../../ui/values/state-pill.tsx";
import { Tag } from "../../ui/values/tag.tsx";
import { type ApiKey, PRESETS, summaryOf } from "./key-text.ts";

type Row = ApiKey & {
  isIdle: boolean;
  /** The last characters of the key that takes its place. */
  nextLast4: string | undefined;
  onRotate: () => void;
  onRevoke: () => void;
};

const columns: DataColumns<Row> = [
  {
    id: "name",
    head: "Key",
    phone: "title",
    className: "font-medium wrap-anywhere",
    cell: (key) => (
      <>
        {key.name} <span className="font-mono font-normal text-mono">…{key.last4}</span>
        <span className="block font-normal text-ink-2 text-note">
          {key.nextLast4 ? `Replaced by …${key.nextLast4}` : summaryOf(key)}
        </span>
      </>
    ),
  },
  {
    id: "preset",
    label: "Preset",
    cell: ({ preset }) => <Tag>{preset === "custom" ? "Custom" : PRESETS[preset].label}</Tag>,
  },
  { id: "lastUsedAt", label: "Last used", isTime: true, none: "Never" },
  { id: "expiresAt", label: "Expires", isTime: true },
  { id: "status", label: "Status", cell: (key) => <KeyState of={key} /> },
  actionsColumn(
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
];

function KeyState({ of: { status, replacedBy, isIdle } }: { of: Row }) {
  if (status === "Active" && replacedBy) {
    return (
      <StatePill tone="warn" icon="clock">
        Overlap
      </StatePill>
    );
  }
  return isIdle ? <StatePill tone="neutral">Idle</StatePill> : <StatePill state={status} />;
}

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
            With an API key, an agent or a script acts for you, within the scopes you give it.
          </Empty>
        )
      }
    />
  );
}
