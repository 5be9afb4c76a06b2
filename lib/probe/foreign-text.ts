import { canParseUrl, replaceUnseen, toNfc } from "@turnpike/payments/protocol";

/** Untrusted JSON. */
export type Json = Record<string, unknown>;

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const member = (value: unknown, key: string): unknown =>
  isJson(value) && Object.hasOwn(value, key) ? value[key] : undefined;

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Text from an untrusted document, cleaned for display and storage, or undefined. */
export function cleanText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== "string") return undefined;
  // A text of megabytes takes long to clean, and may be in a document many times.
  const line = toNfc(value.slice(0, 10 * maxLength)).replace(/[\t\n\r]+/g, " ");
  const text = replaceUnseen(line, "").trim();
  if (text.length <= maxLength) return text === "" ? undefined : text;
  // Its last joiner may have lost the letter after it.
  return `${replaceUnseen(text.slice(0, maxLength - 1), "").trimEnd()}…`;
}

/** An absolute http(s) URL resolved against a base, without credentials, or null. */
export function readUrl(value: unknown, base?: string): string | null {
  if (typeof value !== "string" || value.length > 2048) return null;
  // Restore the escaped braces of a template.
  if (!canParseUrl(value, base)) return null;
  const url = new URL(value, base);
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  if (!isWeb || url.username || url.password) return null;
  url.hash = "";
  return url.href.replace(/%7B/gi, "{").replace(/%7D/gi, "}");
}
