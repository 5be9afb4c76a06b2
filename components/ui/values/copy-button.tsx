"use client";

import { useEffect, useState } from "react";
import { Icon } from "../icon.tsx";
import { LiveButton } from "../live-button.tsx";

const TICK_MS = 2_000;

/** Copies a text and confirms it for two seconds. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [outcome, setOutcome] = useState<"copied" | "refused">();

  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), TICK_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      setOutcome("refused");
    }
  };

  return (
    <>
      <LiveButton
        onClick={copy}
        aria-label={label}
        title={label}
        className="-my-2 grid size-(--hit) shrink-0 place-items-center rounded-tag text-ink-2 hover:bg-sunken hover:text-ink"
      >
        <Icon name={outcome === "copied" ? "tick" : "copy"} className="size-3.5" />
      </LiveButton>
      <span role="status" className="sr-only">
        {outcome === "copied" && "Copied"}
        {outcome === "refused" && "Copying was blocked. Select the text and copy it."}
      </span>
    </>
  );
}
