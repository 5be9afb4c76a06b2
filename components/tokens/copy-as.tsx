"use client";

import { useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import type { ButtonLook } from "../ui/button-look.ts";
import { Icon } from "../ui/icon.tsx";

type CopyAsProps = ButtonLook & { label: string; text: string; onCopied?: () => void };

/** A button that copies a text and says so. Where the browser blocks copying, the text is shown, selected. */
export function CopyAs({ label, text, onCopied, look, size }: CopyAsProps) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
      onCopied?.();
      setTimeout(() => setOutcome(null), 2_000);
    } catch {
      setOutcome("refused");
      onCopied?.();
      requestAnimationFrame(() => box.current?.select());
    }
  };
  return (
    <>
      <Button look={look} size={size} onClick={copy}>
        <Icon name={outcome === "copied" ? "tick" : "copy"} />
        {label}
      </Button>
      <span role="status" className="sr-only">
        {outcome === "copied" && "Copied"}
        {outcome === "refused" && "Your browser blocked copying. Copy the selected text."}
      </span>
      {outcome === "refused" && (
        <textarea
          ref={box}
          readOnly
          rows={3}
          aria-label={`${label}: text`}
          value={text}
          className="w-full basis-full rounded-control border border-line-control bg-sunken p-2 font-mono text-small"
        />
      )}
    </>
  );
}
