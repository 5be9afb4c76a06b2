"use client";

import { usePathname } from "next/navigation";
import { type TabLink, TabLinks } from "./tab-links.tsx";

type PathTabsProps = { label: string; tabs: readonly Omit<TabLink, "isCurrent">[] };

/** Tabs whose pages have paths of their own. */
export function PathTabs({ label, tabs }: PathTabsProps) {
  const path = decodeURIComponent(usePathname());
  return (
    <TabLinks
      label={label}
      className="mb-6"
      tabs={tabs.map((tab) => ({ ...tab, isCurrent: tab.href === path }))}
    />
  );
}
