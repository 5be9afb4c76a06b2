"use client";

import { usePathname } from "next/navigation";
import { Icon } from "../ui/icon.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { SECTIONS, sectionOf } from "./sections.ts";

const PLACES = ["/home", "/plans", "/subscriptions", "/activity"];

/** Four sections within reach of a thumb. */
export function BottomBar() {
  const current = sectionOf(usePathname());
  return (
    <nav
      aria-label="Shortcuts"
      className="fixed inset-x-0 bottom-0 z-10 grid grid-cols-4 max-[19rem]:grid-cols-[repeat(4,auto)] border-line border-t bg-bg pb-[env(safe-area-inset-bottom)] sm:hidden"
    >
      {SECTIONS.filter(({ href }) => PLACES.includes(href)).map(({ href, label, icon }) => (
        <NearLink
          key={href}
          href={href}
          aria-current={current?.href === href ? "page" : undefined}
          className="relative grid h-14 place-content-center justify-items-center gap-0.5 text-ink-2 text-small font-medium no-underline before:absolute before:inset-x-6 before:-top-px before:h-0.5 aria-[current]:text-ink aria-[current]:before:bg-accent"
        >
          <Icon name={icon} className="size-4.5" />
          {label}
        </NearLink>
      ))}
    </nav>
  );
}
