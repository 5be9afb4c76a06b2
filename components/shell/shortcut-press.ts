/** `mod+k` is Command or Control with k; `g p` is g, then p within a second. */
export type Shortcuts = Record<string, () => void>;

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
