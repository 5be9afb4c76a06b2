/** `JSON.stringify` that writes every `bigint` as a decimal string, the protocol's form for amounts. */
export function toJson(value: unknown, space?: number): string {
  try {
    // Most values have no bigint, and are written in a fraction of the time.
    return JSON.stringify(value, null, space);
  } catch {
    return JSON.stringify(value, writeBigint, space);
  }
}

const writeBigint = (_key: string, item: unknown) => (typeof item === "bigint" ? `${item}` : item);

/** Deeper than documents are, and far from where code that walks or writes a value has no stack left. */
const MAX_JSON_DEPTH = 200;

/** The value of a JSON text; `undefined` for other text, and for a value that is nested deeper than 200 levels. */
export function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

const isParent = (item: unknown) =>
  typeof item === "object" && item !== null && !ArrayBuffer.isView(item);

/** Whether a value is nested deeper than so many levels: code that walks or writes it could run out of stack. */
export function isTooDeep(value: unknown, levels: number = MAX_JSON_DEPTH): boolean {
  let level = [value].filter(isParent);
  for (let depth = 0; depth < levels && level.length > 0; depth++) {
    level = level.flatMap((item) => Object.values(item as object).filter(isParent));
  }
  return level.length > 0;
}

const MAX_DEPTH = 32;

/**
 * The value without its `null` members, all the way down: on this wire `null` equals absent
 * (some client libraries write `null` for every option that was not given).
 */
export function withoutNulls(value: unknown, depth = 0): unknown {
  if (value === null) return undefined;
  if (typeof value !== "object" || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = value[key as keyof object];
    // Assigning "__proto__" would set the prototype instead of a member.
    if (item !== null && key !== "__proto__") kept[key] = withoutNulls(item, depth + 1);
  }
  return kept;
}

/** JSON with its object keys sorted at every level: the form that is hashed, so key order never matters. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item) => {
    if (typeof item === "bigint") return item.toString();
    if (item === null || typeof item !== "object" || Array.isArray(item)) return item;
    const entries = Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return Object.fromEntries(entries);
  });
}
