import { useIsMac } from "./use-is-mac.ts";

/** A key of the keyboard, with its sign on a Mac where that differs. Hidden on phones. */
export function Kbd({ mac, children }: { mac?: string; children: string }) {
  const isMac = useIsMac();
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-tag border border-line bg-surface px-1.25 text-ink-2 text-small max-sm:hidden">
      {isMac && mac ? mac : children}
    </kbd>
  );
}
