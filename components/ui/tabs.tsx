import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { cn } from "./cn.ts";
import { LiveButton } from "./live-button.tsx";
import { TAB, TAB_LIST } from "./tab-look.ts";

type Tab = { value: string; label: ReactNode; content: ReactNode };

export type TabsProps = {
  /** Names the row for screen readers. */
  label: string;
  tabs: Tab[];
  /** The open tab, when the caller controls it; by default the first is open. */
  value?: string;
  onValueChange?: (value: string) => void;
  className?: string;
};

/**
 * Tabs that swap a part of a page. Arrow keys, Home and End move and open. For tabs with a URL use
 * `TabLinks`. See docs/adr/0045 for why they are not Radix's.
 */
export function Tabs({ label, tabs, value, onValueChange, className }: TabsProps) {
  const id = useId();
  const [own, setOwn] = useState(tabs[0]?.value);
  const open = value ?? own;
  const choose = (next: string) => {
    setOwn(next);
    onValueChange?.(next);
  };
  return (
    <div className={cn("min-w-0", className)}>
      <TabRow id={id} label={label} tabs={tabs} open={open} onChoose={choose} />
      {tabs.map((tab) => (
        <div
          key={tab.value}
          role="tabpanel"
          id={`${id}-panel-${tab.value}`}
          aria-labelledby={`${id}-tab-${tab.value}`}
          hidden={tab.value !== open}
          className="pt-4"
        >
          {tab.value === open && tab.content}
        </div>
      ))}
    </div>
  );
}

type TabRowProps = {
  id: string;
  label: string;
  tabs: Pick<Tab, "value" | "label">[];
  open: string | undefined;
  onChoose: (value: string) => void;
  className?: string;
};

/** The row alone; its panels are `${id}-panel-${value}`. */
export function TabRow({ id, label, tabs, open, onChoose, className }: TabRowProps) {
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const next = neighbour(
      event,
      tabs.length,
      tabs.findIndex(({ value }) => value === open),
    );
    const tab = next === undefined ? undefined : tabs[next];
    if (!tab) return;
    event.preventDefault();
    onChoose(tab.value);
    document.getElementById(`${id}-tab-${tab.value}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={label} className={cn(TAB_LIST, className)}>
      {tabs.map((tab) => (
        <LiveButton
          key={tab.value}
          role="tab"
          id={`${id}-tab-${tab.value}`}
          aria-controls={`${id}-panel-${tab.value}`}
          aria-selected={tab.value === open}
          tabIndex={tab.value === open ? 0 : -1}
          onClick={() => onChoose(tab.value)}
          onKeyDown={move}
          className={TAB}
        >
          {tab.label}
        </LiveButton>
      ))}
    </div>
  );
}

function neighbour(event: KeyboardEvent<HTMLElement>, count: number, at: number) {
  const isRightToLeft = getComputedStyle(event.currentTarget).direction === "rtl";
  const step = isRightToLeft ? -1 : 1;
  const targets: Record<string, number> = {
    ArrowRight: (at + step + count) % count,
    ArrowLeft: (at - step + count) % count,
    Home: 0,
    End: count - 1,
  };
  return targets[event.key];
}
