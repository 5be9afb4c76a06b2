"use client";

import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Icon, type IconName } from "../icon.tsx";
import { IconButton } from "../icon-button.tsx";
import { LiveButton } from "../live-button.tsx";
import { isTimed, type Toast, toasts } from "./toast-store.ts";

const SHOWN_MS = 6_000;

const MARKS = {
  done: { icon: "tick", ink: "text-settled" },
  warn: { icon: "half", ink: "text-unsettled" },
  bad: { icon: "cross", ink: "text-refused" },
} as const satisfies Record<string, { icon: IconName; ink: string }>;

/**
 * Shows toasts; once per page, near its end. Show one with `toast(…)`. They disappear after six seconds, unless they stay or offer an
 * action, but not while the pointer or the focus is on them, and screen readers announce them politely.
 */
export function Toaster() {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.read, toasts.readOnServer);
  const [isHeld, setIsHeld] = useState(false);
  const region = useRef<HTMLElement>(null);
  useEffect(() => {
    if (shown.length === 0) return;
    const place = () => region.current && placeBelowBars(region.current);
    place();
    window.addEventListener("scroll", place, { passive: true });
    // Another page, or another part of this one, has other bars.
    const content = new ResizeObserver(place);
    content.observe(document.body);
    return () => {
      window.removeEventListener("scroll", place);
      content.disconnect();
    };
  }, [shown]);
  return (
    <section
      ref={region}
      aria-label="Messages"
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
      // On a narrow screen, below the top bar: the buttons that matter are at the bottom, where a thumb is.
      className="pointer-events-none fixed end-4 bottom-4 z-40 grid max-w-[calc(100vw-2rem)] justify-items-end gap-2 max-md:top-(--toasts-top,3.5rem) max-md:bottom-auto max-sm:start-4 max-sm:justify-items-stretch"
    >
      <div role="status" className="contents">
        {shown.map((toast) => (
          <Message key={toast.id} toast={toast} isHeld={isHeld} />
        ))}
      </div>
    </section>
  );
}

const GAP_PX = 8;

/** Moves the toasts below a bar that they would cover: one of those that stay below the top bar as the page scrolls. */
function placeBelowBars(region: HTMLElement): void {
  region.style.removeProperty("--toasts-top");
  const { top, bottom } = region.getBoundingClientRect();
  for (const bar of document.querySelectorAll("[data-sticks]")) {
    const box = bar.getBoundingClientRect();
    if (box.top >= bottom || box.bottom <= top) continue;
    region.style.setProperty("--toasts-top", `${box.bottom + GAP_PX}px`);
  }
}

function Message({ toast, isHeld }: { toast: Toast; isHeld: boolean }) {
  const { id, text, tone = "done", action } = toast;
  const isTemporary = isTimed(toast);
  useEffect(() => {
    if (isHeld || !isTemporary) return;
    const timer = setTimeout(() => toasts.dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld, isTemporary]);
  const { icon, ink } = MARKS[tone];
  return (
    <div className="pointer-events-auto flex min-h-10 animate-rise items-center gap-2.5 rounded-card border border-line bg-surface ps-3 pe-1 text-note shadow-dialog">
      <Icon name={icon} className={`size-4 ${ink}`} />
      <span className="wrap-anywhere flex-1 py-2">{text}</span>
      {action && (
        <LiveButton
          onClick={() => {
            action.run();
            toasts.dismiss(id);
          }}
          className="link min-h-6 shrink-0 px-1 text-label"
        >
          {action.label}
        </LiveButton>
      )}
      <IconButton icon="close" label="Dismiss" onClick={() => toasts.dismiss(id)} />
    </div>
  );
}
