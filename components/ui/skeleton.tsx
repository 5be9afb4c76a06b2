import { cn } from "./cn.ts";

/** A bar where a text will stand; comes after 150 ms, so that a quick answer shows none. */
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
