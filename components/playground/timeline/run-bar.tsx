"use client";

import { Button } from "../../ui/button.tsx";

export type RunBarProps = {
  cost: string;
  isRunning: boolean;
  /** Why nothing may be run now. */
  heldBack?: string;
  onRun: () => void;
  onStop: () => void;
};

/** Runs again from the panes beside the request, where only one pane fits. */
export function RunBar({ cost, isRunning, heldBack, onRun, onStop }: RunBarProps) {
  return (
    <div className="sticky bottom-0 z-5 flex items-center gap-3 border-line border-t bg-bg px-4 py-2 max-sm:bottom-14 md:hidden">
      <p className="min-w-0 flex-1 text-note">{heldBack ?? cost}</p>
      {/* Keys of their own: the button that stops must not turn into the one that runs under the same click. */}
      {isRunning ? (
        <Button key="stop" size="big" onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button
          key="run"
          look="primary"
          size="big"
          aria-disabled={heldBack !== undefined}
          onClick={onRun}
        >
          Run all
        </Button>
      )}
    </div>
  );
}
