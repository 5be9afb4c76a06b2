import { useState } from "react";
import { formatCount } from "@/lib/text/plural.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { createLater } from "../../ui/later.ts";
import type { KeptRun } from "../run/run-store.ts";
import type { HistoryRowsProps } from "./history-rows.tsx";

const ROW_PX = 40;

type HistoryListProps = Omit<HistoryRowsProps, "runs" | "rowPx"> & {
  runs: KeptRun[] | null;
  onClear: () => void;
};

const HistoryRows = createLater(() => import("./history-rows.tsx"), "HistoryRows");

/** Prefetches the rows before there is a run to show. */
export const fetchHistoryAhead = HistoryRows.ahead;

export function HistoryList({ runs, onClear, ...props }: HistoryListProps) {
  const [isFailed, setFailed] = useState(false);
  const hasRuns = runs !== null && runs.length > 0;
  const Rows = HistoryRows.usePart(hasRuns && !isFailed, () => setFailed(true));
  if (!hasRuns) return null;
  return (
    <section aria-labelledby="last-runs" className="border-line border-t">
      <div className="flex items-center gap-2 px-4 py-2">
        <h2 id="last-runs" className="text-label">
          Recent runs
        </h2>
        <span className="text-ink-2 text-small">
          {formatCount(props.total)}, kept in this browser
        </span>
        <Button look="quiet" size="small" className="ms-auto" onClick={onClear}>
          Clear
        </Button>
      </div>
      {Rows && <Rows {...props} runs={runs} rowPx={ROW_PX} />}
      {!Rows && !isFailed && <RowsPlaceholder count={runs.length} />}
      {!Rows && isFailed && (
        <ErrorState title="The list could not be loaded" onRetry={() => setFailed(false)}>
          Your runs are still kept. Check your connection.
        </ErrorState>
      )}
    </section>
  );
}

function RowsPlaceholder({ count }: { count: number }) {
  return (
    <div aria-busy="true" className="max-h-60 overflow-hidden border-line border-t">
      <div ref={(rows) => rows?.style.setProperty("height", `${count * ROW_PX}px`)} />
    </div>
  );
}
