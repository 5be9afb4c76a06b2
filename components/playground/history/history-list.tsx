"use client";

import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { createLater } from "../../ui/later.ts";
import type { KeptRun } from "../run/run-store.ts";

export const ROW_PX = 40;

export type HistoryListProps = {
  /** The newest that were read so far; `total` is how many there are. */
  runs: KeptRun[] | null;
  total: number;
  onMore: () => void;
  openId: string | null;
  onOpen: (kept: KeptRun) => void;
  onChange: (kept: KeptRun) => void;
  canRun: boolean;
  /** Runs its request again and compares the two. */
  onReplay: (kept: KeptRun) => void;
  /** Compares it with the run that is open. */
  onCompare: (kept: KeptRun) => void;
  onClear: () => void;
};

const HistoryRows = createLater(() => import("./history-rows.tsx").then((it) => it.HistoryRows));

/** Fetches the rows before there is a run to keep. */
export const fetchHistoryAhead = HistoryRows.ahead;

/** Runs of before, kept in this browser. */
export function HistoryList({ runs, onClear, ...props }: HistoryListProps) {
  const [isFailed, setFailed] = useState(false);
  const hasRuns = runs !== null && runs.length > 0;
  const Rows = HistoryRows.usePart(hasRuns && !isFailed, () => setFailed(true));
  if (!hasRuns) return null;
  return (
    <section aria-labelledby="last-runs" className="border-line border-t">
      <div className="flex items-center gap-2 px-4 py-2">
        <h2 id="last-runs" className="text-label">
          Last runs
        </h2>
        <span className="text-ink-2 text-small">
          {props.total.toLocaleString("en-US")}, kept in this browser
        </span>
        <Button look="quiet" size="small" className="ms-auto" onClick={onClear}>
          Clear
        </Button>
      </div>
      {Rows && <Rows {...props} runs={runs} />}
      {!Rows && !isFailed && <RowsToCome count={runs.length} />}
      {!Rows && isFailed && (
        <ErrorState title="The list could not be shown" onRetry={() => setFailed(false)}>
          The runs are still kept. Check the connection.
        </ErrorState>
      )}
    </section>
  );
}

/** Holds the place of the rows. */
function RowsToCome({ count }: { count: number }) {
  return (
    <div aria-busy="true" className="max-h-60 overflow-hidden border-line border-t">
      <div ref={(rows) => rows?.style.setProperty("height", `${count * ROW_PX}px`)} />
    </div>
  );
}
