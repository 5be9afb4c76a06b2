"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { Button } from "../ui/button.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { MoneyStatus } from "../ui/money-status.tsx";
import { StatePill } from "../ui/state-pill.tsx";
import type { KeptRun } from "./run-history.ts";

const ROW_PX = 40;

export type HistoryListProps = {
  runs: KeptRun[] | null;
  openId: string | null;
  onOpen: (kept: KeptRun) => void;
  onPin: (kept: KeptRun) => void;
  onClear: () => void;
};

/** Runs of before, kept in this browser. Only those in view are laid out, however many there are. */
export function HistoryList({ runs, openId, onOpen, onPin, onClear }: HistoryListProps) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: runs?.length ?? 0,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  if (!runs || runs.length === 0) return null;
  return (
    <section aria-labelledby="last-runs" className="border-line border-t">
      <div className="flex items-center gap-2 px-4 py-2">
        <h2 id="last-runs" className="text-label">
          Last runs
        </h2>
        <span className="text-ink-2 text-small">{runs.length}, kept in this browser</span>
        <Button look="quiet" size="small" className="ms-auto" onClick={onClear}>
          Clear
        </Button>
      </div>
      <div ref={box} className="max-h-60 overflow-y-auto border-line border-t">
        <ul
          className="relative"
          ref={(list) => list?.style.setProperty("height", `${rows.getTotalSize()}px`)}
        >
          {rows.getVirtualItems().map(({ index, start }) => {
            const kept = runs[index] as KeptRun;
            const { input, startedAt, money } = kept.run;
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
                    {kept.name ?? `${input.method} ${pathOf(input.url)}`}
                  </span>
                  {money ? (
                    <MoneyStatus status={money} />
                  ) : (
                    <StatePill tone="neutral">Stopped</StatePill>
                  )}
                </button>
                <IconButton
                  icon={kept.isPinned ? "check" : "plus"}
                  label={kept.isPinned ? "Unpin this run" : "Pin this run"}
                  aria-pressed={kept.isPinned}
                  onClick={() => onPin(kept)}
                />
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}

const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : url);
