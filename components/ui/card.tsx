import type { ComponentProps } from "react";
import { cn } from "./cn.ts";

/** One object on its own surface. For lists use a table or hairlines, not cards. */
export function Card({
  isPadded = true,
  className,
  ...props
}: ComponentProps<"div"> & { isPadded?: boolean }) {
  return (
    <div
      {...props}
      className={cn(
        "min-w-0 rounded-card border border-line bg-surface",
        isPadded && "p-(--card-pad)",
        className,
      )}
    />
  );
}
