import type { ComponentProps } from "react";

const LOOKS = {
  primary:
    "bg-accent text-on-accent border-transparent hover:bg-accent-hover aria-disabled:bg-sunken aria-disabled:text-ink-2 aria-disabled:border-line",
  plain: "bg-surface text-ink border-line hover:bg-sunken hover:border-line-control",
  quiet: "bg-transparent text-ink-2 border-transparent hover:bg-sunken hover:text-ink",
} as const;

/** A verb. Say `aria-disabled` in place of `disabled`, so that it keeps its place in the tab order. */
export function Button({
  look = "plain",
  className = "",
  ...props
}: { look?: keyof typeof LOOKS } & ComponentProps<"button">) {
  return (
    <button
      type="button"
      className={`inline-flex min-h-(--control) items-center justify-center gap-2 whitespace-nowrap rounded-control border px-3 text-label transition-colors duration-120 ease-out aria-disabled:cursor-not-allowed ${LOOKS[look]} ${className}`}
      {...props}
    />
  );
}
