"use client";

import { useEffect, useRef } from "react";
import { areShortcutsOff } from "../shell/use-shortcuts.ts";

const TAKES_KEYS = "input, textarea, select, button, [contenteditable], [role=slider], [role=menu]";

/** Single-key shortcuts of a list. A focused control that uses a key itself keeps it. */
export function useListKeys(keys: Record<string, () => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.isComposing || areShortcutsOff()) return;
      const isOnControl = event.target instanceof HTMLElement && event.target.closest(TAKES_KEYS);
      const isDialog = document.querySelector("[role=dialog][data-state=open] form") !== null;
      const isLetter = event.key !== " ";
      if (isDialog || (isOnControl && !(isLetter && isOnControl.matches("button")))) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}
