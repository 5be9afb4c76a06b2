"use client";

import { usePathname, useRouter } from "next/navigation";
import { useState } from "react";
import { Icon } from "../ui/icon.tsx";
import { createLater } from "../ui/later.ts";
import { LiveButton } from "../ui/live-button.tsx";
import { useIsMac } from "../ui/values/use-is-mac.ts";
import { leavePage } from "./leave-page.ts";
import { SECTIONS } from "./sections.ts";
import { useShortcuts } from "./use-shortcuts.ts";
import { useRecent } from "./visited.tsx";

const CommandPalette = createLater(() => import("./command-palette.tsx"), "CommandPalette");

export function CommandButton({ account }: { account: string }) {
  const [isOpen, setOpen] = useState(false);
  const isMac = useIsMac();
  const recent = useRecent(account);
  const router = useRouter();
  const path = usePathname();
  const go = (href: string) => () => leavePage(() => router.push(href));
  const newHref = SECTIONS.find(({ href }) => href === path)?.newHref;
  const Palette = CommandPalette.usePart(isOpen, () => setOpen(false));
  useShortcuts({
    "mod+k": () => setOpen((open) => !open),
    // What is typed while the palette is loading is a search.
    ...(!isOpen && {
      "?": () => setOpen(true),
      // Handled here rather than in the list, so that it works while the list is loading.
      ...(newHref && { n: go(newHref) }),
      ...Object.fromEntries(
        SECTIONS.filter(({ key }) => key).map(({ key, href }) => [`g ${key}`, go(href)]),
      ),
    }),
  });
  return (
    <>
      <LiveButton
        aria-label="Search and commands"
        aria-haspopup="dialog"
        {...CommandPalette.near}
        onClick={() => setOpen(true)}
        className="inline-flex h-7 items-center gap-2 rounded-control border border-line bg-surface px-2.5 text-ink-2 text-note hover:border-line-control max-sm:size-9 max-sm:justify-center max-sm:px-0 md:w-40 lg:w-55"
      >
        <Icon name="search" className="size-3.5" />
        <span className="max-md:hidden">Search</span>
        <kbd className="ms-auto whitespace-nowrap rounded-tag border border-line px-1 text-small max-md:hidden">
          {isMac ? "⌘K" : "Ctrl K"}
        </kbd>
      </LiveButton>
      {isOpen && Palette && <Palette recent={recent} onClose={() => setOpen(false)} />}
    </>
  );
}
