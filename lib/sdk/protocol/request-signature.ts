import * as z from "zod/mini";

/** The public key a sender-constrained token is bound to: an ed25519 key as a JWK (RFC 8037). */
export const HolderKey = z.strictObject({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)),
});
export type HolderKey = z.output<typeof HolderKey>;

/** The x402 extension by which a gate says that it passes signatures on, and by which a message carries its own. */
export const SIGNATURE_EXTENSION = "http-message-signatures";

const MAX_SIGNATURE_INPUT = 1024;

/**
 * A request's HTTP message signature (RFC 9421) by the holder of its token, as the agent saw it: the two signature
 * headers and the parts of the request that they cover.
 */
export const RequestProof = z.object({
  method: z.string().check(z.maxLength(16)),
  /** As sent: `/ask`. */
  path: z.string().check(z.maxLength(2048)),
  /** With its question mark, which is all there is without a query. */
  query: z.string().check(z.maxLength(8192)),
  /** The `Content-Digest` header of a request with a body (RFC 9530). */
  contentDigest: z.optional(z.string().check(z.maxLength(256))),
  signatureInput: z.string().check(z.maxLength(MAX_SIGNATURE_INPUT)),
  signature: z.string().check(z.maxLength(256)),
});
export type RequestProof = z.output<typeof RequestProof>;
