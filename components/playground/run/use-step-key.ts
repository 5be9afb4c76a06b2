"use client";

import { useEffect } from "react";

/** Shift and Enter take the next step, but where they make a new line. */
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
