import { useEffect, useRef } from "react";
import { useLive } from "../ui/use-live.ts";
import { takeEarlyKeys } from "./early-keys.tsx";

/** `mod+k` is Command or Control with k; `g p` is g, then p within a second. */
export type Shortcuts = Record<string, () => void>;

const SEQUENCE_MS = 1_000;
const OFF_KEY = "turnpike-shortcuts";

/** Single-key shortcuts can be turned off (WCAG 2.1.4); those with a modifier keep working. */
export const areShortcutsOff = (): boolean => localStorage.getItem(OFF_KEY) === "off";
export const setShortcutsOff = (isOff: boolean): void =>
  isOff ? localStorage.setItem(OFF_KEY, "off") : localStorage.removeItem(OFF_KEY);

/**
 * Runs a shortcut's action wherever the focus is, except in text fields. Keys pressed before the page could
 * respond count as pressed now.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  // Only what came with the server's HTML was in sight when those keys were pressed.
  const cameWithPage = useRef(!useLive());
  useEffect(() => {
    let before: { key: string; at: number } | null = null;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const isMod = event.metaKey || event.ctrlKey;
      if (!isMod && (isTyping(event.target) || areShortcutsOff())) return;
      const sequence =
        before && event.timeStamp - before.at < SEQUENCE_MS ? `${before.key} ${event.key}` : null;
      const names = isMod ? [`mod+${event.key.toLowerCase()}`] : [sequence, event.key];
      const action = names.flatMap((name) => latest.current[name ?? ""] ?? [])[0];
      before = { key: event.key, at: event.timeStamp };
      if (!action) return;
      event.preventDefault();
      before = null;
      action();
    };
    if (cameWithPage.current) for (const event of takeEarlyKeys()) press(event);
    cameWithPage.current = false;
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
