import type { Json } from "../foreign-text.ts";

// Foreign text is searched with these: none may look at a part of it more than a few times.
const SECRETS: [RegExp, string][] = [
  [/svc-(sandbox|live):[\w-]+\./, "an API key of this service"],
  [/\b(sk|rk)_(live|test)_\w{6,}/, "a card processor key"],
  [/\b(ghp|gho|xox[abp])[_-]\w{10,}/, "a credential"],
  [/\bBearer\s+[\w.~+/-]{16,}/i, "a bearer token"],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/, "a private key"],
  [
    /\{\{[^{}]{0,200}\}\}|\$\{[^{}]{0,200}\}|<[A-Z][A-Z_]{2,}>|\bYOUR_[A-Z_]+|\bTODO\b/,
    "a placeholder",
  ],
];
const INSIDE =
  /\b(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+|169\.254\.\d+\.\d+|(?<![\w-])[\w-]{1,63}\.(internal|local|svc\.cluster\.local))\b/gi;

/** What an offer, which is public, should not contain, or null. */
export function leakIn(envelope: Json, calledHost: string): string | null {
  const texts = textsIn(envelope);
  const secret = SECRETS.find(([pattern]) => texts.some((text) => pattern.test(text)));
  if (secret) return secret[1];
  // An agent on this machine may name it.
  const inside = texts
    .flatMap((text) => text.match(INSIDE) ?? [])
    .find((host) => host.toLowerCase() !== calledHost);
  return inside ? `an internal host (${inside})` : null;
}

/** Every string of a document, with the names of its members. */
function textsIn(document: unknown): string[] {
  const texts: string[] = [];
  const open = [document];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") texts.push(next);
    if (typeof next !== "object" || next === null) continue;
    for (const [name, value] of Object.entries(next)) {
      if (!Array.isArray(next)) texts.push(name);
      open.push(value);
    }
  }
  return texts;
}
