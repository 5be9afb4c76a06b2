import { decodeBase64, encodeBase64 } from "@turnpike/payments/protocol";

/** The kinds of secrets that are recognized. */
export type Found = "access token" | "API key" | "login" | "email" | "private key" | "secret";

type Pattern = { what: Found; find: RegExp; put: string | ((...parts: string[]) => string) };

/** Without spaces, so that it stays valid inside a URL. */
const gone = (what: Found) => `[${what.replaceAll(" ", "-")}-removed]`;

// Texts of 200,000 characters are searched with these: none may look at a part of it more than a few times. A look-ahead
// finds the word in a name once, without trying others.

/** Names under which URLs, forms, cookies and JSON carry secrets. */
const SECRET_NAME =
  "(?=[\\w.-]*?(?:password|passwd|passphrase|secret|token|api[_-]?key|authorization|cookie|session|credential|private[_-]?key))[\\w.-]+";

const PATTERNS: Pattern[] = [
  {
    what: "private key",
    find: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    put: gone("private key"),
  },
  // Turnpike's own keys come first: the part after their colon looks like a JWT.
  {
    what: "API key",
    find: /\b[a-z]{2,10}-[a-z]+:[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g,
    put: gone("API key"),
  },
  { what: "API key", find: /\beyJ[\w-]{6,1000}\.[\w-]{6,}\.[\w-]*/g, put: gone("API key") },
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
  // User name and password of a URL, plain or percent-encoded. What follows a scheme is read once, up to the next plain one.
  {
    what: "login",
    find: /(:(?:\/\/|%2F%2F))((?:[^\s/@"'<>:]|:(?!\/\/))*)(@?)/gi,
    put: (_, scheme = "", rest = "", at = "") => `${scheme}${withoutLogin(rest + at)}`,
  },
  {
    what: "email",
    // From the start of a word, whatever its length, and from inside one for as long as an address may be.
    find: /(?:(?<![\p{L}\p{N}._+%-])(?:[\p{L}\p{N}._+-]|%(?!40)[0-9a-f]{2})+|(?:[\p{L}\p{N}._+-]|%(?!40)[0-9a-f]{2}){1,64})(?:@|%40|\\u0040)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/giu,
    put: gone("email"),
  },
  {
    what: "secret",
    find: new RegExp(`((?:^|[?#&;,\\s"'])${SECRET_NAME}=)(?!\\[|redacted)[^&;\\s"']+`, "gi"),
    put: `$1${gone("secret")}`,
  },
  {
    what: "secret",
    find: new RegExp(`("${SECRET_NAME}"\\s*:\\s*")(?!\\[|redacted)(?:[^"\\\\]|\\\\.)+`, "gi"),
    put: `$1${gone("secret")}`,
  },
];

/** The end of a URL after its scheme, without a user name and password. */
function withoutLogin(text: string): string {
  const end = text.endsWith("@") ? text.length : text.lastIndexOf("%40") + 3;
  return end > 2 && /:|%3A/i.test(text.slice(0, end)) ? text.slice(end) : text;
}

/** Base64 of either alphabet, plain or percent-encoded. */
const BASE64 = /(?:[A-Za-z0-9+/_-]|%2[BF]){24,}(?:=|%3D){0,2}/gi;
/** Marks access tokens and stock x402 payments: anyone who has one can pay with it. */
const isToken = (text: string): boolean =>
  isFollowed(text, /"signature"\s*:/, /"(?:sessionKey|authorization)"/) ||
  isFollowed(text, /"(?:sessionKey|authorization)"\s*:/, /"signature"/);

function isFollowed(text: string, first: RegExp, second: RegExp): boolean {
  const at = text.search(first);
  return at >= 0 && second.test(text.slice(at));
}
const MAX_NESTING = 2;

/**
 * Removes tokens, keys, logins and email addresses that are recognizable as such, and calls `note` with each kind
 * found. Looks inside base64 too, which carries offers and receipts.
 */
function scrubText(text: string, note: (what: Found) => void, nesting = 0): string {
  let clean = text.replace(BASE64, (part) => scrubBase64(part, note, nesting));
  for (const { what, find, put } of PATTERNS) {
    const before = clean;
    clean = typeof put === "string" ? clean.replace(find, put) : clean.replace(find, put);
    if (clean !== before) note(what);
  }
  return clean;
}

/** Removes a token whole; decodes, cleans and re-encodes any other document. */
function scrubBase64(part: string, note: (what: Found) => void, nesting: number): string {
  const inner = decodeBase64(part.replace(/%../g, decodeURIComponent));
  if (inner === null || !/^[\s\x20-\x7e\u00a0-\uffff]*$/.test(inner)) return part;
  if (isToken(inner)) {
    note("access token");
    return gone("access token");
  }
  if (nesting >= MAX_NESTING) return part;
  const clean = scrubText(inner, note, nesting + 1);
  return clean === inner ? part : encodeBase64(clean);
}

/** Scrubs every string of a value, including property names. */
export function scrubAll<T>(value: T, note: (what: Found) => void): T {
  const scrub = (text: string) => scrubText(text, note);
  return mapTexts(value, scrub, scrub);
}

type Change = (text: string) => string;

/** The value with every string changed, and property names where `rename` says so. */
export function mapTexts<T>(value: T, change: Change, rename: Change = (name) => name): T {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change, rename)) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, each]) => [rename(name), mapTexts(each, change, rename)]),
  ) as T;
}
