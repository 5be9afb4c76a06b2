import { Icon } from "../icon.tsx";
import { CopyButton } from "../values/copy-button.tsx";

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

type JsonEntry = { key: string; value: unknown; isBranch: boolean };

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

/** The children of a value, in order; none for a leaf. */
export function entriesOf(value: unknown): JsonEntry[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .map(([key, child]) => ({
      key,
      value: child,
      isBranch: typeof child === "object" && child !== null && Object.keys(child).length > 0,
    }));
}

/** The path of a value as code writes it: `accepts[0].extra["agent-id"]`. */
export function jsonPath(keys: readonly string[]): string {
  return keys
    .map((key, index) => {
      if (/^\d+$/.test(key)) return `[${key}]`;
      if (!PLAIN_KEY.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}

/** A leaf as JSON; for a branch, the number of its children. */
export function previewOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.length}]`;
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const count = Object.keys(value).length;
  return count === 0 ? "{}" : `{${count}}`;
}
