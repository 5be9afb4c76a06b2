import { useEffect, useRef } from "react";
import { useLive } from "../ui/use-live.ts";
import { takeEarlyKeys } from "./early-keys.tsx";

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

/** `mod+k` is Command or Control with k; `g p` is g, then p within a second. */
type Shortcuts = Record<string, () => void>;

type Key = Pick<KeyboardEvent, "key" | "timeStamp" | "target" | "preventDefault"> &
  Partial<
    Pick<KeyboardEvent, "defaultPrevented" | "altKey" | "isComposing" | "metaKey" | "ctrlKey">
  >;

const SEQUENCE_MS = 1_000;

/**
 * Handles keys with the shortcuts of the page. `second` runs before the page's own handlers: after g, the k of `g k` moves
 * through no table. `single` runs after them. `isText` says where keys without a modifier are text, or turned off.
 */
export function createPress(
  shortcutsOf: () => Shortcuts,
  isText: (target: EventTarget | null) => boolean,
) {
  let before: { key: string; at: number } | null = null;
  const isMod = ({ metaKey, ctrlKey }: Key) => metaKey === true || ctrlKey === true;
  const isIgnored = (event: Key) =>
    event.defaultPrevented || event.altKey || event.isComposing || isDialogOpen();
  const run = (event: Key, name: string) => {
    const action = shortcutsOf()[name];
    if (!action) return;
    event.preventDefault();
    before = null;
    action();
  };
  return {
    second(event: Key): void {
      const first = before;
      before = null;
      if (isMod(event) || isText(event.target) || isIgnored(event)) return;
      before = { key: event.key, at: event.timeStamp };
      if (first && event.timeStamp - first.at < SEQUENCE_MS)
        run(event, `${first.key} ${event.key}`);
    },
    single(event: Key): void {
      if (isIgnored(event) || (!isMod(event) && isText(event.target))) return;
      run(event, isMod(event) ? `mod+${event.key.toLowerCase()}` : event.key);
    },
  };
}

/** Whether a dialog covers the page. The palette is one too, which its own shortcut closes. */
const isDialogOpen = (): boolean =>
  document.querySelector("[role=dialog]:not(:has([cmdk-root])), [role=alertdialog]") !== null;
