import { diffArrays } from "diff";
import { cn } from "../cn.ts";

const LOOKS = {
  same: { sign: " ", word: "", look: "" },
  removed: { sign: "−", word: "Removed: ", look: "bg-tint-neutral text-ink-2" },
  added: { sign: "+", word: "Added: ", look: "bg-tint-accent font-medium" },
} as const;

export type DiffViewProps = {
  label: string;
  before: string;
  after: string;
  /** The names of the two: "Run of 13:48", "This run". */
  beforeName: string;
  afterName: string;
};

/** Two texts line by line. Signs and weight mark what changed; colour only helps. */
export function DiffView({ label, before, after, beforeName, afterName }: DiffViewProps) {
  const lines = diffLines(before, after);
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
  return (
    <div className="min-w-0 overflow-hidden rounded-card border border-line bg-sunken">
      <p className="flex min-h-10 flex-wrap items-center gap-x-4 border-line border-b bg-surface px-3.5 text-label">
        <span>− {beforeName}</span>
        <span>+ {afterName}</span>
        <span className="ms-auto font-normal text-ink-2 tabular-nums">
          {count("removed") + count("added") === 0
            ? "No differences"
            : `${count("removed")} removed, ${count("added")} added`}
        </span>
      </p>
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must reach what scrolls.
        tabIndex={0}
        className="overflow-x-auto -outline-offset-2"
      >
        <ol className="w-max min-w-full py-2 font-mono text-mono">
          {lines.map(({ kind, text }, index) => {
            const { sign, word, look } = LOOKS[kind];
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of two fixed texts keep their places.
              <li key={index} className={cn("flex whitespace-pre px-4", look)}>
                <span aria-hidden="true" className="w-[2ch] shrink-0 select-none">
                  {sign}
                </span>
                <span className="sr-only">{word}</span>
                <span className={kind === "removed" ? "line-through decoration-ink-2/40" : ""}>
                  {text || " "}
                </span>
              </li>
            );
          })}
        </ol>
      </section>
    </div>
  );
}

type DiffLine = { kind: "same" | "removed" | "added"; text: string };

export const diffLines = (before: string, after: string): DiffLine[] =>
  diffArrays(before.split("\n"), after.split("\n")).flatMap(({ value, removed, added }) => {
    const kind = removed ? "removed" : added ? "added" : "same";
    return value.map((text): DiffLine => ({ kind, text }));
  });
