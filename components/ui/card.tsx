import type { ComponentProps } from "react";
import { cn } from "./cn.ts";

type CardProps = ComponentProps<"div"> & { isPadded?: boolean };

/** One object on its own surface. For lists use a table or hairlines, not cards. */
export function Card({ isPadded = true, className, ...props }: CardProps) {
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
