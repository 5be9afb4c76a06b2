import type { ReactNode } from "react";
import { cn } from "../cn.ts";

type TagProps = {
  isMono?: boolean;
  className?: string;
  children: ReactNode;
};

/** A small outlined word: a kind, a version, a scheme. Mono for identifiers. */
export function Tag({ isMono, className, children }: TagProps) {
  return (
    <span
      className={cn(
        "inline-flex h-5 items-center whitespace-nowrap rounded-tag border border-line px-1.5 font-medium text-ink-2 text-small",
        isMono && "font-mono font-normal text-ink",
        className,
      )}
    >
      {children}
    </span>
  );
}
