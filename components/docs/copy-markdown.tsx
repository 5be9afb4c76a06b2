"use client";

import { CopyButton } from "../ui/values/copy-button.tsx";

/** Copies a guide as Markdown, for a coding agent. */
export function CopyMarkdown({ text }: { text: string }) {
  return (
    <p className="mt-6 flex items-center gap-1 border-line border-t pt-4 text-ink-2 text-note">
      Copy as Markdown
      <CopyButton text={text} label="Copy as Markdown" />
    </p>
  );
}
