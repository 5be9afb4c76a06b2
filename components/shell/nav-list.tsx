"use client";

import { usePathname } from "next/navigation";
import type { Home } from "@/lib/console/figures.ts";
import { useHomeFigures } from "../home/home-figures-provider.tsx";
import { Icon } from "../ui/icon.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { SECTION_GROUPS, sectionOf } from "./sections.ts";

/** `onStay` is called when the link of the open page is followed. */
export function NavList({ onStay }: { onStay?: () => void }) {
  const pathname = usePathname();
  const current = sectionOf(pathname);
  return SECTION_GROUPS.map(({ title, sections }) => (
    <div
      key={title ?? "start"}
      className={title ? "border-line narrow-rail:mt-2 narrow-rail:border-t narrow-rail:pt-2" : ""}
    >
      {title && (
        <p className="px-2.5 pt-4 pb-1.5 text-ink-2 text-small font-medium narrow-rail:sr-only">
          {title}
        </p>
      )}
      <ul className="grid gap-px">
        {sections.map(({ href, label, icon }) => (
          <li
            key={href}
            className={href === "/payment-methods" ? "in-data-without-cards:hidden" : undefined}
          >
            <NearLink
              href={href}
              onClick={href === pathname ? onStay : undefined}
              // A narrow rail shows icons without labels.
              title={current?.href === "/playground" ? label : undefined}
              aria-current={current?.href === href ? "page" : undefined}
              className="relative flex min-h-(--control) items-center gap-2.5 rounded-control px-2.5 text-ink-2 text-label no-underline narrow-rail:justify-center narrow-rail:px-0 transition-colors duration-120 ease-out before:absolute before:inset-y-1.5 before:start-0 before:w-0.5 hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:text-ink aria-[current]:before:bg-accent"
            >
              <Icon name={icon} className="size-4" />
              <span className="narrow-rail:sr-only">{label}</span>
              <Waiting href={href} />
            </NearLink>
          </li>
        ))}
      </ul>
    </div>
  ));
}

/** How much of a section waits for a person, and what for. */
const COUNTS: Record<string, { of: (home: Home) => number; words: string }> = {
  "/activity": { of: ({ builder }) => builder.unsettled, words: "to reconcile" },
  "/alerts": { of: ({ inbox }) => inbox.openAlerts, words: "open" },
  "/approvals": { of: ({ inbox }) => inbox.waitingApprovals, words: "waiting" },
};

/** The count of a section; renders nothing for zero. */
function Waiting({ href }: { href: string }) {
  const home = useHomeFigures();
  const counted = COUNTS[href];
  const count = home && counted ? counted.of(home) : 0;
  if (count === 0) return null;
  return (
    <span className="ms-auto text-ink tabular-nums narrow-rail:sr-only">
      {groupDigits(count)}
      <span className="sr-only"> {counted?.words}</span>
    </span>
  );
}
