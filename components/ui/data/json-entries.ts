export type JsonEntry = { key: string; value: unknown; isBranch: boolean };

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
