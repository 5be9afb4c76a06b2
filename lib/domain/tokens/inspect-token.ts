import {
  type AccessToken,
  checksumAddress,
  decodeAccessToken,
  type Environment,
  hashOffer,
  readPaymentPayload,
  signatureOf,
  type TokenPayload,
} from "@turnpike/payments/protocol";
import type { Cause } from "../permissions/causes.ts";
import { isStorable } from "../storable.ts";

/** A token as its text, or as the object a stock x402 server hands over. */
export type TokenInput = string | Record<string, unknown>;

/** A token whose document and signature are sound; the database knows whether it exists and is still valid. */
export type InspectedToken =
  | { isSound: true; token: AccessToken; jti: string; signer: string }
  | { isSound: false; detail: UnsoundCause };

/** What is wrong with a token that no database needs to be asked about. */
type UnsoundCause = Extract<
  Cause,
  | "malformed"
  | "no_expiry_or_id"
  | "other_environment"
  | "address_spelling"
  | "offer_changed"
  | "no_signature"
  | "signature"
>;

type Inspection = {
  environment: Environment;
  recoverSigner: (payload: TokenPayload, signature: string) => string | null;
};

const unsound = (detail: UnsoundCause): InspectedToken => ({ isSound: false, detail });

/**
 * Checks everything about a token that needs no database: its form, that the signature covers its payload and its
 * offer, its environment, and who signed it. `resource` and `extensions`, which stock clients add, are not covered, and
 * nothing is decided by them. Never throws.
 */
export function inspectToken(
  input: TokenInput,
  { environment, recoverSigner }: Inspection,
): InspectedToken {
  const token = typeof input === "string" ? decodeAccessToken(input) : readPaymentPayload(input);
  if (!token || !holdsStorable(token.payload)) return unsound("malformed");
  const { authorization, sessionKey } = token.payload;
  if (!authorization.jti || !authorization.exp || !authorization.delegationId)
    return unsound("no_expiry_or_id");
  if (authorization.aud !== environment) return unsound("other_environment");
  // One spelling per address, or two texts would be one token.
  for (const address of [authorization.from, sessionKey.address]) {
    if (checksumAddress(address) !== address) return unsound("address_spelling");
  }
  if (!token.accepted || authorization.accepted !== hashOffer(token.accepted))
    return unsound("offer_changed");
  // Only tokens that sign the terms of their orders sign their holder's key.
  if (authorization.cnf && !sessionKey.limits.order) return unsound("signature");
  const signature = signatureOf(token);
  if (!signature) return unsound("no_signature");
  const signer = recoverSigner(token.payload, signature);
  if (signer === null || signer !== sessionKey.address) return unsound("signature");
  return { isSound: true, token, jti: authorization.jti, signer };
}

/** Its texts are inside the token's own encoding, where nothing has looked at them before. */
const holdsStorable = (value: unknown): boolean =>
  typeof value === "string"
    ? isStorable(value)
    : typeof value !== "object" || value === null || Object.values(value).every(holdsStorable);
