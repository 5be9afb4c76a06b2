import { cn } from "../cn.ts";

/** A bar as long as a share of its row. SVG attributes: the security policy forbids style attributes. */
export function ShareBar({ percent, className }: { percent: number; className: string }) {
  return (
    <svg
      aria-hidden="true"
      data-rule
      className={cn("block h-1.5 w-full rtl:-scale-x-100", className)}
    >
      <rect width={`${percent}%`} height="100%" className="fill-current" />
    </svg>
  );
}
