import * as z from "zod/mini";
import { HolderKey } from "./request-signature.ts";
import { MAX_UINT256 } from "./uint256.ts";

// Only the service checks the checksum of an address, with the signature.
const AddressText = z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/));
const Signature = z.string().check(z.regex(/^0x[0-9a-f]{130}$/));
const AmountText = z
  .string()
  .check(z.refine((text) => /^(0|[1-9]\d{0,77})$/.test(text) && BigInt(text) <= MAX_UINT256));
const Seconds = z.int().check(z.minimum(0), z.maximum(253_402_300_799));

/**
 * What one order of the plan costs at most and grants at least, as its payer saw it: a top-up at other terms is refused.
 * `price` is in the smallest unit of `unit`, a currency or a token's address; 0 seconds never end.
 */
export const OrderTerms = z.strictObject({
  planVersion: z.int().check(z.minimum(1)),
  price: AmountText,
  unit: z.string(),
  credits: AmountText,
  durationSecs: AmountText,
});
export type OrderTerms = z.output<typeof OrderTerms>;

/** What a session key may be used for, and how much of it (§2.2). */
export const SessionKeyGrant = z.strictObject({
  address: AddressText,
  permissions: z.array(z.enum(["order", "burn"])).check(z.maxLength(2)),
  limits: z.strictObject({
    redemptionLimit: z.int().check(z.minimum(0)),
    orderLimit: AmountText,
    order: z.optional(OrderTerms),
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
  agentId: z.optional(z.string()),
  delegationId: z.optional(z.string()),
  jti: z.optional(z.string()),
  iat: z.optional(Seconds),
  exp: z.optional(Seconds),
  aud: z.optional(z.string()),
  resource: z.optional(z.string()),
  httpVerb: z.optional(z.string()),
  /** The key whose holder must sign each request (RFC 7800); a token without one is a bearer token. */
  cnf: z.optional(z.strictObject({ jwk: HolderKey })),
  accepted: z.optional(z.string().check(z.regex(/^0x[0-9a-f]{64}$/))),
});
export type TokenAuthorization = z.output<typeof TokenAuthorization>;

/** The signed part of a token. */
export const TokenPayload = z.strictObject({
  signature: z.optional(Signature),
  authorization: TokenAuthorization,
  sessionKey: SessionKeyGrant,
});
export type TokenPayload = z.output<typeof TokenPayload>;

/** The offer a token answers: one entry of a payment requirement's `accepts`. */
export const AcceptedOffer = z.looseObject({
  scheme: z.string(),
  network: z.string(),
  planId: z.optional(z.string()),
  extra: z.optional(z.looseObject({})),
});
export type AcceptedOffer = z.output<typeof AcceptedOffer>;

/**
 * The access token: one JSON document that is the specification's token (§2.2) and an x402 v2
 * `PaymentPayload`. The signature is at the top and inside `payload`, for either reader.
 */
export const AccessToken = z.strictObject({
  x402Version: z.optional(z.literal(2)),
  resource: z.optional(z.looseObject({ url: z.optional(z.string()) })),
  accepted: z.optional(AcceptedOffer),
  payload: TokenPayload,
  signature: z.optional(Signature),
  extensions: z.optional(z.looseObject({})),
});
export type AccessToken = z.output<typeof AccessToken>;

/** The document in an object a stock x402 server hands over (`paymentPayload`), or `null`. */
export function readPaymentPayload(value: unknown): AccessToken | null {
  return AccessToken.safeParse(value).data ?? null;
}
