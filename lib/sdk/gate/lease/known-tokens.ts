import type { AccessToken } from "../../protocol/access-token-schema.ts";

/** Reads the document of a token from its text; `null` where it is none. */
export type ReadToken = (text: string | null) => AccessToken | null;

const MAX_TOKENS = 500;

/**
 * The same reader, which reads the text of a token once: with a lease, it would take a fifth of a call. What it returns is
 * frozen, because the work of every call gets the same claims.
 */
export function readOnce(read: ReadToken): ReadToken {
  const known = new Map<string, AccessToken>();
  return (text) => {
    const before = text === null ? undefined : known.get(text);
    if (before) return before;
    const token = read(text);
    if (text === null || !token) return token;
    // Callers choose their tokens: without a bound, they would fill the memory.
    if (known.size >= MAX_TOKENS) known.clear();
    known.set(text, freeze(token));
    return token;
  };
}

/** The value, which no one can change from now on. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
