import type { AcceptedOffer, AccessToken } from "./access-token-schema.ts";
import { decodeBase64, encodeBase64 } from "./encoding/base64.ts";
import { keccak256 } from "./encoding/keccak.ts";
import { isAccessToken } from "./is-access-token.ts";
import { canonicalJson } from "./json.ts";

/** The longest token this service reads, in characters of its base64 form. */
export const MAX_TOKEN_LENGTH = 8192;

/** The token's text: standard padded base64 of ASCII JSON, fit for one HTTP header. */
export function encodeAccessToken(token: AccessToken): string {
  return encodeBase64(escapeNonAscii(JSON.stringify(token)));
}

const escapeNonAscii = (json: string) =>
  json.replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * The document inside a token (§2.2), or `null` when the text is not one. Reads standard and
 * URL-safe base64, padded or not. Never throws and proves nothing: only the service checks signatures.
 *
 * @example decodeAccessToken(token)?.payload.authorization.planId
 */
export function decodeAccessToken(token: unknown): AccessToken | null {
  if (typeof token !== "string" || token.length > MAX_TOKEN_LENGTH) return null;
  const json = decodeBase64(token);
  return json === null ? null : readTokenJson(json);
}

function readTokenJson(json: string): AccessToken | null {
  // Parsers drop this member, so with it a token would have a second text.
  if (/"__proto__"\s*:/.test(json)) return null;
  try {
    const value: unknown = JSON.parse(json);
    // White space, repeated members and odd number spellings would be further texts for one token.
    // Other x402 clients do not escape non-ASCII text that they echo, so both spellings are read.
    const canonical = JSON.stringify(value);
    if (json !== canonical && json !== escapeNonAscii(canonical)) return null;
    return isAccessToken(value) ? value : null;
  } catch {
    return null;
  }
}

/** The one signature of a token, or `null` when it has none or two that differ. */
export function signatureOf(token: AccessToken): string | null {
  const { signature: outer, payload } = token;
  if (outer !== undefined && payload.signature !== undefined && outer !== payload.signature)
    return null;
  return payload.signature ?? outer ?? null;
}

/** The hash by which a token's signature covers the offer it answers. */
export const hashOffer = (accepted: AcceptedOffer): string =>
  `0x${Array.from(keccak256(canonicalJson(accepted)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** The token shortened for logs and traces: first 16 characters, an ellipsis, last 4. */
export function abbreviateToken(token: string): string {
  if (token.length <= 4) return "…(short)";
  if (token.length <= 20) return `${token.slice(0, 4)}…(short)`;
  return token.includes("…") ? token : `${token.slice(0, 16)}…${token.slice(-4)}`;
}
