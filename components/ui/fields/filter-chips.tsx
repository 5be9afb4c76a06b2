"use client";

import type { ReactNode } from "react";
import { cn } from "../cn.ts";
import { Icon } from "../icon.tsx";
import { NearLink } from "../links/near-link.tsx";
import { LiveButton } from "../live-button.tsx";
import { Menu } from "../overlays/menu.tsx";
import type { MenuItem } from "../overlays/open-menu.tsx";

type FilterChip = {
  key: string;
  /** "Payment is", "Time". */
  field: string;
  value: ReactNode;
  /** The address of the list without this filter. */
  remove: string;
};

export type FilterChipsProps = {
  chips: FilterChip[];
  addable?: MenuItem[];
  /** The address of the list without filters. */
  clear?: string;
  className?: string;
};

/** The active filters of a list; each can be removed. */
export function FilterChips({ chips, addable, clear, className }: FilterChipsProps) {
  return (
    <div className={cn("flex flex-wrap items-center gap-2", className)}>
      {chips.map(({ key, field, value, remove }) => (
        <span
          key={key}
          className="inline-flex min-h-7 max-w-full items-center gap-1.5 rounded-control border border-line bg-surface ps-2.5 pe-1 text-note max-sm:min-h-(--hit)"
        >
          <span className="whitespace-nowrap text-ink-2">{field}</span>
          <span className="truncate">{value}</span>
          <NearLink
            href={remove}
            scroll={false}
            aria-label={`Remove filter ${field}`}
            className="grid size-6 shrink-0 place-items-center rounded-tag text-ink-2 hover:bg-sunken hover:text-ink max-sm:size-9"
          >
            <Icon name="close" className="size-3.5" />
          </NearLink>
        </span>
      ))}
      {addable && addable.length > 0 && (
        <Menu
          align="start"
          groups={[addable]}
          trigger={
            <LiveButton className="inline-flex min-h-7 items-center gap-1.5 rounded-control border border-line-control border-dashed px-2.5 text-ink-2 text-label hover:bg-sunken hover:text-ink max-sm:min-h-(--hit)">
              <Icon name="plus" className="size-3.5" />
              Filter
            </LiveButton>
          }
        />
      )}
      {clear && chips.length > 0 && (
        <NearLink
          href={clear}
          scroll={false}
          className="link ms-auto inline-flex min-h-6 items-center text-label"
        >
          Clear
        </NearLink>
      )}
    </div>
  );
}
