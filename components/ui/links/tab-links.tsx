"use client";

import type { ReactNode } from "react";
import { cn } from "../cn.ts";
import { TAB, TAB_LIST } from "../tab-look.ts";
import { NearLink } from "./near-link.tsx";

export type TabLink = { href: string; label: ReactNode; isCurrent: boolean; count?: number };

/** Room that shows that there are tabs before it. */
const BEFORE_PX = 48;

/** On a phone the row is wider than the page, and the current tab may be beyond its edge, also after a turn. */
function showTab(tab: HTMLAnchorElement | null) {
  const row = tab?.parentElement;
  if (!tab || !row) return;
  const observer = new ResizeObserver(() => {
    row.scrollLeft = tab.offsetLeft - row.offsetLeft - BEFORE_PX;
  });
  // Also called once when it begins.
  observer.observe(row);
  return () => observer.disconnect();
}

type TabLinksProps = {
  label: string;
  tabs: TabLink[];
  className?: string;
};

/** Tabs that are separate pages: links, with the current page marked and in view. */
export function TabLinks({ label, tabs, className }: TabLinksProps) {
  return (
    <nav aria-label={label} className={cn(TAB_LIST, className)}>
      {tabs.map(({ href, label: text, isCurrent, count }) => (
        <NearLink
          key={href}
          href={href}
          ref={isCurrent ? showTab : undefined}
          aria-current={isCurrent ? "page" : undefined}
          scroll={false}
          className={TAB}
        >
          {text}
          {count !== undefined && count > 0 && <span className="tabular-nums">{count}</span>}
        </NearLink>
      ))}
    </nav>
  );
}
