import { decodeBase64, encodeBase64 } from "@turnpike/payments/protocol";

/** What was found in a text, by the name people know it by. */
export type Found = "access token" | "API key" | "login" | "e-mail" | "private key" | "secret";

type Pattern = { what: Found; find: RegExp; put: string };

/** Without spaces, so that it stays what it is in an address. */
const gone = (what: Found) => `[${what.replaceAll(" ", "-")}-removed]`;

/** Named members of URLs, forms, cookies and JSON that people keep secrets in. */
const SECRET_NAME =
  "[\\w.-]*(?:password|passwd|passphrase|secret|token|api[_-]?key|authorization|cookie|session|credential|private[_-]?key)[\\w.-]*";

const PATTERNS: Pattern[] = [
  {
    what: "private key",
    find: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    put: gone("private key"),
  },
  // Our own keys first: what follows their colon looks like a JWT.
  {
    what: "API key",
    find: /\b[a-z]{2,10}-[a-z]+:[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g,
    put: gone("API key"),
  },
  { what: "API key", find: /\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g, put: gone("API key") },
  {
    what: "API key",
    find: /\b(?:sk|rk|pk|whsec|ghp|gho|ghs|github_pat|glpat|xox[abprs])[_-][\w-]{12,}|\bAKIA[A-Z0-9]{16}\b/g,
    put: gone("API key"),
  },
  {
    what: "login",
    find: /\b(Bearer|Basic|Digest)(\s+|%20)[\w+/=.~-]{6,}/gi,
    put: `$1 ${gone("login")}`,
  },
  // User and password of an address, whole or as a browser escapes it.
  {
    what: "login",
    find: /(:(?:\/\/|%2F%2F))[^\s/@"'<>]+(?::|%3A)[^\s/@"'<>]*(?:@|%40)/gi,
    put: "$1",
  },
  {
    what: "e-mail",
    find: /(?:[\p{L}\p{N}._+-]|%(?!40)[0-9a-f]{2})+(?:@|%40|\\u0040)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/giu,
    put: gone("e-mail"),
  },
  {
    what: "secret",
    find: new RegExp(`((?:^|[?&;,\\s"'])${SECRET_NAME}=)(?!\\[|redacted)[^&;\\s"']+`, "gi"),
    put: `$1${gone("secret")}`,
  },
  {
    what: "secret",
    find: new RegExp(`("${SECRET_NAME}"\\s*:\\s*")(?!\\[|redacted)(?:[^"\\\\]|\\\\.)+`, "gi"),
    put: `$1${gone("secret")}`,
  },
];

/** Base64 of either alphabet, also as an address escapes it. */
const BASE64 = /(?:[A-Za-z0-9+/_-]|%2[BF]){24,}(?:=|%3D){0,2}/gi;
/** What our tokens hold, and stock x402 payments too: whoever has one can pay with it. */
const IS_TOKEN =
  /"signature"\s*:[\s\S]*"(?:sessionKey|authorization)"|"(?:sessionKey|authorization)"\s*:[\s\S]*"signature"/;
const MAX_NESTING = 2;

/**
 * A text without tokens, keys, logins and e-mail addresses, as far as they can be told by their look; `note`
 * hears of each kind. What stands in base64, as offers and receipts do, is looked into too.
 */
function scrubText(text: string, note: (what: Found) => void, nesting = 0): string {
  let clean = text.replace(BASE64, (part) => scrubBase64(part, note, nesting));
  for (const { what, find, put } of PATTERNS) {
    const before = clean;
    clean = clean.replace(find, put);
    if (clean !== before) note(what);
  }
  return clean;
}

/** A token goes whole; a document is taken apart, cleaned, and put together again. */
function scrubBase64(part: string, note: (what: Found) => void, nesting: number): string {
  const inner = decodeBase64(part.replace(/%../g, decodeURIComponent));
  if (inner === null || !/^[\s\x20-\x7e\u00a0-\uffff]*$/.test(inner)) return part;
  if (IS_TOKEN.test(inner)) {
    note("access token");
    return gone("access token");
  }
  if (nesting >= MAX_NESTING) return part;
  const clean = scrubText(inner, note, nesting + 1);
  return clean === inner ? part : encodeBase64(clean);
}

/** The same for every text of a value, the names of its members among them. */
export function scrubAll<T>(value: T, note: (what: Found) => void): T {
  if (typeof value === "string") return scrubText(value, note) as T;
  if (Array.isArray(value)) return value.map((each) => scrubAll(each, note)) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [
    scrubText(name, note),
    scrubAll(each, note),
  ]);
  return Object.fromEntries(entries) as T;
}
