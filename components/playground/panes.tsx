import type { ReactNode } from "react";
import { LiveButton } from "../ui/live-button.tsx";

export type Pane = "request" | "timeline" | "inspector";

export function PaneTitle({ children, aside }: { children: string; aside?: ReactNode }) {
  return (
    <div className="flex min-h-11 items-center justify-between gap-3 border-line border-b px-4 max-md:sr-only">
      <h2 className="text-h3">{children}</h2>
      {aside && <span className="text-ink-2 text-small">{aside}</span>}
    </div>
  );
}

const PANES: { id: Pane; label: string }[] = [
  { id: "request", label: "Request" },
  { id: "timeline", label: "Timeline" },
  { id: "inspector", label: "Inspector" },
];

export function PaneSwitch({ pane, onChange }: { pane: Pane; onChange: (pane: Pane) => void }) {
  return (
    <div
      role="tablist"
      aria-label="Panes"
      className="grid grid-cols-3 border-line border-b md:hidden"
    >
      {PANES.map(({ id, label }) => (
        <LiveButton
          key={id}
          role="tab"
          aria-selected={pane === id}
          onClick={() => onChange(id)}
          className="min-h-11 border-transparent border-b-2 text-ink-2 text-label aria-selected:border-accent aria-selected:text-ink"
        >
          {label}
        </LiveButton>
      ))}
    </div>
  );
}
