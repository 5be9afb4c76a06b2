"use client";

import { Button } from "../../ui/button.tsx";

export type RunBarProps = {
  cost: string;
  isRunning: boolean;
  /** Why no run may start. */
  blocked?: string;
  onRun: () => void;
  onStop: () => void;
};

/** Runs again from the other panes, where only one pane fits. */
export function RunBar({ cost, isRunning, blocked, onRun, onStop }: RunBarProps) {
  return (
    <div className="sticky bottom-0 z-5 flex items-center gap-3 border-line border-t bg-bg px-4 py-2 max-sm:bottom-14 md:hidden">
      <p className="min-w-0 flex-1 text-note">{blocked ?? cost}</p>
      {/* Separate keys: a click on Stop must not land on the Run button that replaces it. */}
      {isRunning ? (
        <Button key="stop" size="big" onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button
          key="run"
          look="primary"
          size="big"
          aria-disabled={blocked !== undefined}
          onClick={onRun}
        >
          Run all
        </Button>
      )}
    </div>
  );
}
