import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import * as z from "zod";
import { isAddress } from "./address.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { canonicalJson } from "./json.ts";
import { MAX_UINT256 } from "./uint256.ts";

/** The longest token this service reads, in characters of its base64 form. */
export const MAX_TOKEN_LENGTH = 8192;

const AddressText = z.string().refine(isAddress);
const Signature = z.string().regex(/^0x[0-9a-f]{130}$/);
const AmountText = z
  .string()
  .refine((text) => /^(0|[1-9]\d{0,77})$/.test(text) && BigInt(text) <= MAX_UINT256);
const Seconds = z.int().min(0).max(253_402_300_799);

/** What a session key may be used for, and how much of it (§2.2). */
export const SessionKeyGrant = z.strictObject({
  address: AddressText,
  permissions: z.array(z.enum(["order", "burn"])).max(2),
  limits: z.strictObject({
    redemptionLimit: z.int().min(0),
    orderLimit: AmountText,
  }),
});

/**
 * Who allows what to whom until when (§2.2), beyond the specification's three fields bound to a
 * delegation, an environment and a time. `accepted` is the hash of the offer the token answers, so
 * that the signature covers the offer too.
 */
export const TokenAuthorization = z.strictObject({
  from: AddressText,
  planId: z.string(),
  agentId: z.string().optional(),
  delegationId: z.string().optional(),
  jti: z.string().optional(),
  iat: Seconds.optional(),
  exp: Seconds.optional(),
  aud: z.string().optional(),
  resource: z.string().optional(),
  httpVerb: z.string().optional(),
  accepted: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .optional(),
});
export type TokenAuthorization = z.output<typeof TokenAuthorization>;

/** The signed part of a token. */
export const TokenPayload = z.strictObject({
  signature: Signature.optional(),
  authorization: TokenAuthorization,
  sessionKey: SessionKeyGrant,
});
export type TokenPayload = z.output<typeof TokenPayload>;

/** The offer a token answers: one entry of a payment requirement's `accepts`. */
export const AcceptedOffer = z.looseObject({
  scheme: z.string(),
  network: z.string(),
  planId: z.string().optional(),
  extra: z.looseObject({}).optional(),
});
export type AcceptedOffer = z.output<typeof AcceptedOffer>;

/**
 * The access token: one JSON document that is the specification's token (§2.2) and an x402 v2
 * `PaymentPayload`. The signature stands at the top and inside `payload`, for either reader.
 */
export const AccessToken = z.strictObject({
  x402Version: z.literal(2).optional(),
  resource: z.looseObject({ url: z.string().optional() }).optional(),
  accepted: AcceptedOffer.optional(),
  payload: TokenPayload,
  signature: Signature.optional(),
  extensions: z.looseObject({}).optional(),
});
export type AccessToken = z.output<typeof AccessToken>;

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
    const parsed = AccessToken.safeParse(value);
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** The document in an object a stock x402 server hands over (`paymentPayload`), or `null`. */
export function readPaymentPayload(value: unknown): AccessToken | null {
  const parsed = AccessToken.safeParse(value);
  return parsed.success ? parsed.data : null;
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
  `0x${bytesToHex(keccak_256(new TextEncoder().encode(canonicalJson(accepted))))}`;

/** The token shortened for logs and traces: first 16 characters, an ellipsis, last 4. */
export function abbreviateToken(token: string): string {
  if (token.length <= 4) return "…(short)";
  if (token.length <= 20) return `${token.slice(0, 4)}…(short)`;
  return token.includes("…") ? token : `${token.slice(0, 16)}…${token.slice(-4)}`;
}
