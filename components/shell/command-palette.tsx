"use client";

import { useRouter } from "next/navigation";
import { type CommandGroup, CommandMenu } from "../ui/overlays/command-menu.tsx";
import { SECTION_GROUPS } from "./sections.ts";

const COMMANDS = [
  { label: "New plan", href: "/plans/new" },
  { label: "Register an agent", href: "/agents/new" },
  { label: "New delegation", href: "/delegations/new" },
  { label: "Mint access token", href: "/tokens/new" },
  { label: "New API key", href: "/settings/api-keys" },
  { label: "API reference", href: "/docs/api" },
];

/** Sections and commands by name, with their shortcuts. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const groups: CommandGroup[] = [
    {
      name: "Commands",
      items: COMMANDS.map(({ label, href }) => ({
        id: `do ${href}`,
        label,
        onSelect: () => router.push(href),
      })),
    },
    ...SECTION_GROUPS.map(({ title, sections }) => ({
      name: title ?? "Go to",
      items: sections.map(({ href, label, icon, key }) => ({
        id: href,
        label,
        icon,
        ...(key && { keys: ["g", key] }),
        onSelect: () => router.push(href),
      })),
    })),
  ];
  return <CommandMenu isOpen onOpenChange={(isOpen) => !isOpen && onClose()} groups={groups} />;
}
