/** A key of the keyboard. Hidden on phones. */
export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-tag border border-line bg-surface px-1.25 text-ink-2 text-small max-sm:hidden">
      {children}
    </kbd>
  );
}
