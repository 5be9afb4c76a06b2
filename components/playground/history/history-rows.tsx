import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { lengthFault } from "../../forms/form-words.ts";
import { showFaults } from "../../forms/show-faults.ts";
import { TextField } from "../../ui/fields/text-field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { LiveButton } from "../../ui/live-button.tsx";
import { ActionDialog } from "../../ui/overlays/dialog.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import type { KeptRun } from "../run/run-store.ts";
import { RunBadge } from "../timeline/run-badge.tsx";
import { nameOf } from "./run-history.ts";

/** How many rows before the end of the list the next ones are read. */
const AHEAD = 20;

type RowActions = {
  openId: string | null;
  canRun: (url: string) => boolean;
  onOpen: (kept: KeptRun) => void;
  /** Pins or renames it. */
  onChange: (kept: KeptRun) => void;
  /** Runs its request again and compares the two. */
  onReplay: (kept: KeptRun) => void;
  onCompare: (kept: KeptRun) => void;
};

export type HistoryRowsProps = RowActions & {
  runs: KeptRun[];
  /** How many runs are kept; the list may hold fewer so far. */
  total: number;
  onMore: () => void;
  rowPx: number;
};

/** Lays out only the rows in view, however many there are. */
export function HistoryRows({ runs, total, onMore, rowPx, ...actions }: HistoryRowsProps) {
  const [renamed, setRenamed] = useState<KeptRun | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    overscan: 8,
  });
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (runs.length < total && last >= runs.length - AHEAD) onMore();
  }, [runs.length, total, last, onMore]);
  return (
    <>
      <div ref={box} className="max-h-60 overflow-y-auto border-line border-t">
        <ul
          className="relative"
          ref={(list) => list?.style.setProperty("height", `${rows.getTotalSize()}px`)}
        >
          {items.map(({ index, start }) => {
            const kept = runs[index];
            return (
              kept && (
                <li
                  key={kept.id}
                  ref={(row) => row?.style.setProperty("transform", `translateY(${start}px)`)}
                  className={`absolute inset-x-0 top-0 flex h-10 items-center gap-2 border-line border-b ps-4 pe-2 ${kept.id === actions.openId ? "bg-tint-accent" : ""}`}
                >
                  <OpenButton kept={kept} {...actions} />
                  <RowMenu kept={kept} {...actions} onRename={() => setRenamed(kept)} />
                </li>
              )
            );
          })}
        </ul>
      </div>
      {renamed && (
        <RenameDialog
          name={nameOf(renamed)}
          onRename={(name) => actions.onChange({ ...renamed, name })}
          onClose={() => setRenamed(null)}
        />
      )}
    </>
  );
}

function OpenButton({ kept, openId, onOpen }: RowActions & { kept: KeptRun }) {
  const { startedAt } = kept.run;
  return (
    <LiveButton
      onClick={() => onOpen(kept)}
      aria-current={kept.id === openId || undefined}
      className="flex h-full min-w-0 flex-1 items-center gap-2 text-start"
    >
      <span className="shrink-0 text-ink-2 text-note tabular-nums">{startedAt.slice(11, 19)}</span>
      <span className="min-w-0 flex-1 truncate font-mono text-small">
        {kept.isPinned && <span className="sr-only">Pinned: </span>}
        {nameOf(kept)}
      </span>
      {kept.isPinned && <Icon name="check" className="size-4 text-accent" />}
      <RunBadge run={kept.run} />
    </LiveButton>
  );
}

type RowMenuProps = RowActions & { kept: KeptRun; onRename: () => void };

function RowMenu({ kept, openId, canRun, onChange, onReplay, onCompare, onRename }: RowMenuProps) {
  const isComparable = openId !== null && openId !== kept.id;
  return (
    <Menu
      trigger={<IconButton icon="dots" label={`More for ${nameOf(kept)}`} />}
      groups={[
        [
          {
            label: "Replay",
            icon: "refresh",
            isDisabled: !canRun(kept.run.input.url),
            onSelect: () => onReplay(kept),
          },
          {
            label: "Compare with open run",
            icon: "compare",
            isDisabled: !isComparable,
            onSelect: () => onCompare(kept),
          },
        ],
        [
          {
            label: kept.isPinned ? "Unpin" : "Pin",
            icon: "check",
            onSelect: () => onChange({ ...kept, isPinned: !kept.isPinned }),
          },
          { label: "Rename", icon: "edit", onSelect: onRename },
        ],
      ]}
    />
  );
}

const MAX_NAME = 80;

type RenameDialogProps = {
  name: string;
  onRename: (name: string | null) => void;
  onClose: () => void;
};

/** Names a kept run; an empty name restores the default, its request. */
function RenameDialog({ name, onRename, onClose }: RenameDialogProps) {
  const [text, setText] = useState(name);
  const [isSent, setSent] = useState(false);
  return (
    <ActionDialog
      onClose={onClose}
      title="Rename run"
      verb="Rename run"
      action={{ form: "rename-run" }}
    >
      <form
        id="rename-run"
        onSubmit={(event) => {
          event.preventDefault();
          // React events of a portal bubble to the page's own form.
          event.stopPropagation();
          if (lengthFault(text, MAX_NAME))
            return showFaults(event.currentTarget, () => setSent(true));
          onRename(text.trim() || null);
          onClose();
        }}
      >
        <TextField
          label="Name"
          isOptional
          hint="Kept in this browser with the run."
          data-safe
          error={isSent ? lengthFault(text, MAX_NAME) : undefined}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </ActionDialog>
  );
}
