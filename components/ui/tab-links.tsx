import Link from "next/link";
import type { ReactNode } from "react";
import { cn } from "./cn.ts";
import { TAB, TAB_LIST } from "./tab-look.ts";

export type TabLink = { href: string; label: ReactNode; isCurrent: boolean; count?: number };

/** Tabs that are separate pages: links, with the current page marked. */
export function TabLinks({
  label,
  tabs,
  className,
}: {
  label: string;
  tabs: TabLink[];
  className?: string;
}) {
  return (
    <nav aria-label={label} className={cn(TAB_LIST, className)}>
      {tabs.map(({ href, label: text, isCurrent, count }) => (
        <Link
          key={href}
          href={href}
          aria-current={isCurrent ? "page" : undefined}
          scroll={false}
          className={TAB}
        >
          {text}
          {count !== undefined && count > 0 && <span className="tabular-nums">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
