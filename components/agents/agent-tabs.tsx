"use client";

import { usePathname } from "next/navigation";
import { TabLinks } from "../ui/links/tab-links.tsx";

const TABS = [
  ["", "Overview"],
  ["endpoints", "Endpoints"],
  ["plans", "Plans"],
  ["checks", "Checks"],
  ["code", "Code"],
  ["settings", "Settings"],
] as const;

export function AgentTabs({ agentId, plans }: { agentId: string; plans: number }) {
  const path = usePathname();
  const base = `/agents/${agentId}`;
  return (
    <TabLinks
      label="Agent"
      className="mb-6"
      tabs={TABS.map(([name, label]) => {
        const href = name ? `${base}/${name}` : base;
        return {
          href,
          label,
          isCurrent: decodeURIComponent(path) === href,
          ...(name === "plans" && { count: plans }),
        };
      })}
    />
  );
}
