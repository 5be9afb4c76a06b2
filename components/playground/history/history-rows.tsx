"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { Icon } from "../../ui/icon.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import { MoneyStatus } from "../../ui/values/money-status.tsx";
import { StatePill } from "../../ui/values/state-pill.tsx";
import type { KeptRun } from "../run/run-store.ts";
import { type HistoryListProps, ROW_PX } from "./history-list.tsx";
import { RenameDialog } from "./rename-dialog.tsx";
import { nameOf } from "./run-history.ts";

/** Rows before the end of what was read where reading goes on. */
const AHEAD = 20;

type HistoryRowsProps = Omit<HistoryListProps, "runs" | "onClear"> & { runs: KeptRun[] };

/** Only those in view are laid out, however many there are. */
export function HistoryRows(props: HistoryRowsProps) {
  const { runs, total, onMore, openId, canRun, onOpen, onChange, onReplay, onCompare } = props;
  const [renamed, setRenamed] = useState<KeptRun | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  const last = rows.getVirtualItems().at(-1)?.index ?? 0;
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
          {rows.getVirtualItems().map(({ index, start }) => {
            const kept = runs[index] as KeptRun;
            const { startedAt, money } = kept.run;
            return (
              <li
                key={kept.id}
                ref={(row) => row?.style.setProperty("transform", `translateY(${start}px)`)}
                className={`absolute inset-x-0 top-0 flex h-10 items-center gap-2 border-line border-b ps-4 pe-2 ${kept.id === openId ? "bg-tint-accent" : ""}`}
              >
                <button
                  type="button"
                  onClick={() => onOpen(kept)}
                  aria-current={kept.id === openId || undefined}
                  className="flex h-full min-w-0 flex-1 items-center gap-2 text-start"
                >
                  <span className="shrink-0 text-ink-2 text-note tabular-nums">
                    {startedAt.slice(11, 19)}
                  </span>
                  <span className="min-w-0 flex-1 truncate font-mono text-small">
                    {kept.isPinned && <span className="sr-only">Pinned: </span>}
                    {nameOf(kept)}
                  </span>
                  {kept.isPinned && <Icon name="check" className="size-4 text-accent" />}
                  {money ? (
                    <MoneyStatus status={money} />
                  ) : (
                    <StatePill tone="neutral">Stopped</StatePill>
                  )}
                </button>
                <Menu
                  trigger={<IconButton icon="dots" label={`More for ${nameOf(kept)}`} />}
                  groups={[
                    [
                      {
                        label: "Replay",
                        icon: "refresh",
                        isDisabled: !canRun,
                        onSelect: () => onReplay(kept),
                      },
                      {
                        label: "Compare with the open run",
                        icon: "compare",
                        isDisabled: openId === null || openId === kept.id,
                        onSelect: () => onCompare(kept),
                      },
                    ],
                    [
                      {
                        label: kept.isPinned ? "Unpin" : "Pin",
                        icon: "check",
                        onSelect: () => onChange({ ...kept, isPinned: !kept.isPinned }),
                      },
                      { label: "Rename", icon: "edit", onSelect: () => setRenamed(kept) },
                    ],
                  ]}
                />
              </li>
            );
          })}
        </ul>
      </div>
      {renamed && (
        <RenameDialog
          name={nameOf(renamed)}
          onRename={(name) => onChange({ ...renamed, name })}
          onClose={() => setRenamed(null)}
        />
      )}
    </>
  );
}
