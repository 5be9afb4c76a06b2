"use client";

import { useHomeFigures } from "../home/home-figures-provider.tsx";
import { Icon } from "../ui/icon.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { groupDigits } from "../ui/values/money-text.ts";

/** Leads to the inbox, on every page of the dashboard; a dot while alerts are open. */
export function AlertsBell() {
  const figures = useHomeFigures();
  const count = figures?.inbox.openAlerts ?? 0;
  // Before they are read, and where they can't be, it claims no number.
  const label = figures ? `Alerts: ${count === 0 ? "none" : groupDigits(count)}` : "Alerts";
  return (
    <NearLink
      href="/alerts"
      title={label}
      aria-label={label}
      className="relative grid size-(--hit) shrink-0 place-items-center rounded-control text-ink-2 hover:bg-sunken hover:text-ink"
    >
      <Icon name="bell" />
      {count > 0 && (
        <span className="absolute end-[calc(50%-11px)] top-[calc(50%-11px)] box-content size-1.75 rounded-full border-[1.5px] border-bg bg-unsettled" />
      )}
    </NearLink>
  );
}
