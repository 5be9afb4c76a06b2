import { useEffect } from "react";
import { useShortcuts } from "../../shell/use-shortcuts.ts";

type RunKeys = { onRun: () => void; onStep: () => void };

/**
 * Control or Command with Enter runs. Shift+Enter takes the next step, except in a text area, where it adds a line. Neither
 * does anything behind a dialog: its keys are not the page's.
 */
export function useRunKeys({ onRun, onStep }: RunKeys): void {
  useShortcuts({ "mod+enter": () => isDialogOpen() || onRun() });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !event.shiftKey || event.metaKey || event.ctrlKey) return;
      if (event.target instanceof HTMLTextAreaElement || isDialogOpen()) return;
      event.preventDefault();
      onStep();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [onStep]);
}

const isDialogOpen = (): boolean => document.querySelector("[role=dialog]") !== null;
