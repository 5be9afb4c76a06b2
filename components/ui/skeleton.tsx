import { cn } from "./cn.ts";

/** A bar in place of text. Appears after 150 ms, so that fast responses show none. */
export function Skeleton({ className = "w-20" }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cn(
        "inline-block h-2.5 max-w-full animate-appear rounded-tag bg-ink-2/18 align-middle",
        className,
      )}
    />
  );
}
