import { Icon } from "../icon.tsx";
import { CopyButton } from "../values/copy-button.tsx";
import { entriesOf, type JsonEntry, jsonPath, previewOf } from "./json-entries.ts";

export type JsonTreeProps = {
  /** Anything `JSON.parse` returns, or a `bigint`. */
  value: unknown;
  /** What it is, for screen readers. */
  label: string;
  openLevels?: number;
};

/** Decoded JSON as a tree; the path of each value can be copied. Works without JavaScript. */
export function JsonTree({ value, label, openLevels = 2 }: JsonTreeProps) {
  return (
    <section
      aria-label={label}
      className="min-w-0 rounded-card border border-line bg-sunken px-3 py-2 font-mono text-mono"
    >
      <Entries entries={entriesOf(value)} path={[]} openLevels={openLevels} />
    </section>
  );
}

type Position = { path: readonly string[]; openLevels: number };

function Entries({ entries, ...position }: Position & { entries: JsonEntry[] }) {
  if (entries.length === 0) return <p className="text-ink-2">empty</p>;
  return (
    <ul>
      {entries.map((entry) => (
        <Entry key={entry.key} entry={entry} {...position} />
      ))}
    </ul>
  );
}

function Entry({ entry, path, openLevels }: Position & { entry: JsonEntry }) {
  const here = [...path, entry.key];
  const copy = (
    <span className="absolute end-0 top-0 sm:opacity-0 sm:focus-within:opacity-100 sm:group-hover/entry:opacity-100">
      <CopyButton text={jsonPath(here)} label={`Copy path ${jsonPath(here)}`} />
    </span>
  );
  if (!entry.isBranch) {
    return (
      <li className="group/entry relative flex items-start gap-2 ps-4 pe-8">
        <span className="shrink-0 text-ink-2">{entry.key}</span>
        <span className="wrap-anywhere min-w-0 font-medium">{previewOf(entry.value)}</span>
        {copy}
      </li>
    );
  }
  return (
    <li className="relative">
      <details open={path.length < openLevels} className="group/branch peer min-w-0">
        <summary className="me-8 flex min-h-6 cursor-pointer list-none items-center gap-1 hover:text-accent">
          <Icon
            name="right"
            className="size-3 text-ink-2 transition-transform duration-120 group-open/branch:rotate-90 rtl:-scale-x-100"
          />
          <span className="text-ink-2">{entry.key}</span>
          <span className="ms-1 truncate text-ink-2 text-small group-open/branch:hidden">
            {previewOf(entry.value)}
          </span>
        </summary>
        <div className="ms-1.5 border-line border-s ps-2">
          <Entries entries={entriesOf(entry.value)} path={here} openLevels={openLevels} />
        </div>
      </details>
      {copy}
    </li>
  );
}
