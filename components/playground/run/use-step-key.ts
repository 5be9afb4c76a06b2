"use client";

import { useEffect } from "react";

/** Shift+Enter takes the next step, except in a text area, where it adds a line. */
export function useStepKey(next: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !event.shiftKey || event.metaKey || event.ctrlKey) return;
      if (event.target instanceof HTMLTextAreaElement) return;
      event.preventDefault();
      next();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [next]);
}
