import { isJson, member } from "./foreign-text.ts";

/**
 * One document while it is read, and how many members may still be looked at: by references, a short document repeats
 * its parts without end.
 */
export type Reading = { root: unknown; left: number; resolved: Map<string, unknown> };

const MAX_MEMBERS = 50_000;
const MAX_REFERENCE = 1_000;

export const startReading = (root: unknown): Reading => ({
  root,
  left: MAX_MEMBERS,
  resolved: new Map(),
});

/** The members of an object or a list; none once the reading has looked at too many. */
export function entriesOf(value: unknown, reading: Reading): [string, unknown][] {
  if (reading.left <= 0 || typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  reading.left -= entries.length + 1;
  return entries;
}

/** Resolves a local `$ref` in a few hops, so that cycles end. */
export function resolveReference(value: unknown, reading: Reading): unknown {
  let found = value;
  for (let hops = 0; hops < 8; hops++) {
    const reference = member(found, "$ref");
    if (typeof reference !== "string") return found;
    found = lookUp(reference, reading);
  }
  return null;
}

function lookUp(reference: string, { root, resolved }: Reading): unknown {
  if (!reference.startsWith("#/") || reference.length > MAX_REFERENCE) return null;
  if (!resolved.has(reference)) {
    const found = reference
      .slice(2)
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>((at, part) => member(at, part), root);
    resolved.set(reference, found);
  }
  return resolved.get(reference);
}

/** A value as JSON of at most `maxLength` characters, or undefined. */
export function shortJson(value: unknown, maxLength: number, reading: Reading): string | undefined {
  const open = [value];
  for (let room = maxLength; open.length > 0; ) {
    const next = open.pop();
    room -= typeof next === "string" ? next.length : 1;
    if (room < 0 || (Array.isArray(next) && next.length > room)) return undefined;
    for (const [name, one] of entriesOf(next, reading)) {
      if (isJson(next)) room -= name.length;
      open.push(one);
    }
    if (reading.left <= 0) return undefined;
  }
  const text = JSON.stringify(value);
  return text.length <= maxLength ? text : undefined;
}
