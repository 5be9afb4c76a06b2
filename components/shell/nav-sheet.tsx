"use client";

import { useRef, useState } from "react";
import { Icon } from "../ui/icon.tsx";
import { createLater } from "../ui/later.ts";
import { LiveButton } from "../ui/live-button.tsx";

const NavWindow = createLater(() => import("./nav-window.tsx"), "NavWindow");

/** The navigation as a sheet for narrow screens, loaded on the first press. */
export function NavSheet() {
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const Window = NavWindow.usePart(isOpen, () => setOpen(false));
  return (
    <>
      <LiveButton
        ref={trigger}
        aria-label="Open navigation"
        aria-haspopup="dialog"
        aria-expanded={isOpen && Window !== undefined}
        {...NavWindow.near}
        onClick={() => setOpen(true)}
        className="grid size-(--control) shrink-0 place-items-center rounded-control text-ink-2 hover:bg-sunken hover:text-ink lg:hidden"
      >
        <Icon name="menu" className="size-4.5" />
      </LiveButton>
      {Window && <Window isOpen={isOpen} setOpen={setOpen} trigger={trigger} />}
    </>
  );
}
