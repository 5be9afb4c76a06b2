"use client";

import { useState } from "react";
import { useShortcuts } from "../shell/use-shortcuts.ts";
import { Icon } from "../ui/icon.tsx";
import { createLater } from "../ui/later.ts";
import { LiveButton } from "../ui/live-button.tsx";
import { useIsMac } from "../ui/values/use-is-mac.ts";

const SearchMenu = createLater(() => import("./docs-search-menu.tsx"), "DocsSearchMenu");

/** Opens the search over guides, operations and error codes, also with Ctrl+K and `/`. */
export function DocsSearch() {
  const [isOpen, setOpen] = useState(false);
  const isMac = useIsMac();
  const Menu = SearchMenu.usePart(isOpen, () => setOpen(false));
  useShortcuts({ "mod+k": () => setOpen((open) => !open), "/": () => setOpen(true) });
  return (
    <>
      <LiveButton
        aria-haspopup="dialog"
        {...SearchMenu.near}
        onClick={() => setOpen(true)}
        className="flex h-9 w-full items-center gap-2 rounded-control border border-line bg-surface px-2.5 text-ink-2 text-note hover:border-line-control max-sm:h-11"
      >
        <Icon name="search" className="size-3.5" />
        Search docs
        <kbd className="ms-auto whitespace-nowrap rounded-tag border border-line px-1 text-small max-sm:hidden">
          {isMac ? "⌘K" : "Ctrl K"}
        </kbd>
      </LiveButton>
      {isOpen && Menu && <Menu onClose={() => setOpen(false)} />}
    </>
  );
}
