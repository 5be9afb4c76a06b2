"use client";

import { Icon } from "../icon.tsx";
import { LiveButton } from "../live-button.tsx";
import { useCopy } from "../use-copy.ts";

const ICONS = { none: "copy", copied: "tick", refused: "cross" } as const;

/** Copies a text and confirms it for two seconds. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { outcome, copy } = useCopy();
  return (
    <>
      <LiveButton
        onClick={() => copy(text)}
        aria-label={label}
        title={outcome === "refused" ? "Copying was blocked." : label}
        className="-my-2 grid size-(--hit) shrink-0 place-items-center rounded-tag text-ink-2 hover:bg-sunken hover:text-ink"
      >
        <Icon name={ICONS[outcome ?? "none"]} className="size-3.5" />
      </LiveButton>
      <span role="status" className="sr-only">
        {outcome === "copied" && "Copied"}
        {outcome === "refused" && "Copying was blocked. Select the text and copy it."}
      </span>
    </>
  );
}
