import { useEffect, useRef } from "react";
import { useLive } from "../ui/use-live.ts";
import { takeEarlyKeys } from "./early-keys.tsx";
import { createPress, type Shortcuts } from "./shortcut-press.ts";

const OFF_KEY = "turnpike-shortcuts";

/** Single-key shortcuts can be turned off (WCAG 2.1.4); those with a modifier keep working. */
export const areShortcutsOff = (): boolean => localStorage.getItem(OFF_KEY) === "off";
export const setShortcutsOff = (isOff: boolean): void =>
  isOff ? localStorage.setItem(OFF_KEY, "off") : localStorage.removeItem(OFF_KEY);

/**
 * Runs a shortcut's action wherever the focus is, except in text fields and dialogs. Keys pressed before the page could
 * respond count as pressed now.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  // Only what came with the server's HTML was in sight when those keys were pressed.
  const cameWithPage = useRef(!useLive());
  useEffect(() => {
    const { second, single } = createPress(
      () => latest.current,
      (target) => isTyping(target) || areShortcutsOff(),
    );
    if (cameWithPage.current) {
      for (const event of takeEarlyKeys()) {
        second(event);
        single(event);
      }
    }
    cameWithPage.current = false;
    window.addEventListener("keydown", second, true);
    window.addEventListener("keydown", single);
    return () => {
      window.removeEventListener("keydown", second, true);
      window.removeEventListener("keydown", single);
    };
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
