"use client";

import { Menu, X } from "lucide-react";
import { Dialog } from "radix-ui";
import { useState } from "react";
import { Brand } from "../brand.tsx";
import { NavList } from "./nav-list.tsx";

/** The rail as a sheet, where there is no room for it. */
export function NavSheet() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger
        aria-label="Open navigation"
        className="grid size-(--control) shrink-0 place-items-center rounded-control text-ink-2 hover:bg-sunken hover:text-ink lg:hidden"
      >
        <Menu aria-hidden="true" className="size-4.5" strokeWidth={1.5} />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-20 bg-ink/20" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 start-0 z-20 flex w-72 max-w-[85vw] flex-col overflow-y-auto border-line border-e bg-bg px-2 pb-6"
        >
          <Dialog.Title className="sr-only">Navigation</Dialog.Title>
          <div className="flex h-12 items-center justify-between px-2">
            <Brand />
            <Dialog.Close
              aria-label="Close navigation"
              className="grid size-(--control) place-items-center rounded-control text-ink-2 hover:bg-sunken hover:text-ink"
            >
              <X aria-hidden="true" className="size-4" strokeWidth={1.5} />
            </Dialog.Close>
          </div>
          <nav aria-label="Main">
            <NavList onFollow={() => setOpen(false)} />
          </nav>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
