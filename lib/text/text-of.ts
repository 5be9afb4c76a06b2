/**
 * A foreign value as text: strings, numbers and booleans, else "". `String` calls the `toString` that a JSON object may
 * name, and throws.
 */
export const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
