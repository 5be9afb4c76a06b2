import { useState } from "react";
import { formatCount } from "@/lib/text/plural.ts";
import { Button } from "../../ui/button.tsx";

/** A browser lays out this much text without delaying a key press. */
const PIECE = 10_000;
/** Pieces shown at first, and added by each "Show more". */
const AT_ONCE = 4;

/** Text of any length, shown in parts. It is never interpreted: no markup, script or link in it works. */
export function LongText({ text, label = "Text" }: { text: string; label?: string }) {
  const [shown, setShown] = useState({ text, pieces: AT_ONCE });
  // A new text starts at its beginning.
  const pieces = shown.text === text ? shown.pieces : AT_ONCE;
  const parts = partsOf(text, pieces);
  const left = text.length - (parts.at(-1)?.end ?? 0);
  return (
    <div className="grid gap-2">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard users must reach a scrolling region.
        tabIndex={0}
        className="max-h-140 overflow-auto rounded-card border border-line bg-sunken px-3 py-2.5 -outline-offset-2"
      >
        {parts.map(({ start, end }) => (
          <pre
            key={start}
            className="wrap-anywhere whitespace-pre-wrap text-small leading-4.5 [contain-intrinsic-size:auto_600px] [content-visibility:auto]"
          >
            {text.slice(start, end)}
          </pre>
        ))}
      </section>
      {left > 0 && (
        <p className="flex flex-wrap items-center gap-3 text-ink-2 text-note">
          {formatCount(left)} more characters
          <Button
            size="small"
            onClick={() => setShown({ text, pieces: pieces + AT_ONCE })}
            aria-label={`Show more of the ${label.toLowerCase()}`}
          >
            Show more
          </Button>
        </p>
      )}
    </div>
  );
}

type Part = { start: number; end: number };

/** The first pieces of a text, cut at line ends where possible and never inside a character. */
function partsOf(text: string, limit: number): Part[] {
  const parts: Part[] = [];
  for (let start = 0; start < text.length && parts.length < limit; ) {
    let end = Math.min(start + PIECE, text.length);
    if (end < text.length) {
      const line = text.lastIndexOf("\n", end - 1) + 1;
      if (line > start + PIECE / 2) end = line;
      else if (/[\ud800-\udbff]/.test(text[end - 1] ?? "")) end -= 1;
    }
    parts.push({ start, end });
    start = end;
  }
  return parts;
}
