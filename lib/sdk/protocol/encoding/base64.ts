/** Standard, padded base64 of the text's UTF-8 bytes: the one form every x402 reader accepts. */
export function encodeBase64(text: string): string {
  if (ASCII.test(text)) return btoa(text);
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

// Most texts are, and are then their bytes: a character for each would take a fifth of what a leased call allocates.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII, too.
const ASCII = /^[\x00-\x7f]*$/;
const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;
const URL_SAFE = /^[A-Za-z0-9_-]*={0,2}$/;

/**
 * The text behind base64, standard or URL-safe, padded or not; `null` when it is neither, when
 * unused bits are set, or when the bytes are not UTF-8. Never throws.
 */
export function decodeBase64(encoded: string): string | null {
  if (!STANDARD.test(encoded) && !URL_SAFE.test(encoded)) return null;
  const digits = encoded.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  const padding = encoded.length - digits.length;
  if (digits.length % 4 === 1) return null;
  if (padding > 0 && (digits.length + padding) % 4 !== 0) return null;
  const binary = atob(digits);
  // Two spellings of one text would be two tokens for one permission: refuse the second.
  if (btoa(binary).replace(/=+$/, "") !== digits) return null;
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
