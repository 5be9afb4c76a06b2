import { useRef } from "react";

/**
 * Returns the focus to what had it before a dialog opened, or to the page's heading when that is gone; a dialog that opened
 * in its place keeps it.
 * Radix does this only for its own triggers, and our dialogs are opened by state.
 */
export function useReturnFocus() {
  const before = useRef<HTMLElement | null>(null);
  return {
    remember: () => {
      before.current = document.activeElement as HTMLElement | null;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      const target = before.current;
      const other = document.activeElement?.closest("[role=dialog]");
      if (other && !other.contains(target)) return;
      const isThere = target?.isConnected && target !== document.body;
      (isThere ? target : document.querySelector<HTMLElement>("[data-page-heading]"))?.focus();
    },
  };
}
