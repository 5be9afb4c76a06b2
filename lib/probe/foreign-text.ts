/** Untrusted JSON. */
export type Json = Record<string, unknown>;

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const member = (value: unknown, key: string): unknown =>
  isJson(value) && Object.hasOwn(value, key) ? value[key] : undefined;

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

// What `plainText` refuses: controls, and characters that reorder or hide text.
const UNSEEN = /\p{Cc}|\p{Cf}|[\u2028\u2029]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}|\u2800/gu;

/** Text from an untrusted document, cleaned for display and storage, or undefined. */
export function cleanText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value
    // A text of megabytes takes long to clean, and may be in a document many times.
    .slice(0, 10 * maxLength)
    .normalize("NFC")
    .replace(/[\t\n\r]+/g, " ")
    .replace(UNSEEN, "")
    .trim();
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1).trimEnd()}…` : text;
  return short === "" ? undefined : short;
}

/** An absolute http(s) URL resolved against a base, without credentials, or null. */
export function readUrl(value: unknown, base?: string): string | null {
  if (typeof value !== "string" || value.length > 2048) return null;
  // Restore the escaped braces of a template.
  if (!URL.canParse(value, base)) return null;
  const url = new URL(value, base);
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  if (!isWeb || url.username || url.password) return null;
  url.hash = "";
  return url.href.replace(/%7B/gi, "{").replace(/%7D/gi, "}");
}
