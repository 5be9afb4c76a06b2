import * as z from "zod/mini";

/** A signed offer or receipt as x402 carries it (`offer-receipt` 3.1). */
export const SignedStatement = z.union([
  z.object({
    format: z.literal("jws"),
    acceptIndex: z.optional(z.number()),
    signature: z.string().check(z.maxLength(16_384)),
  }),
  z.object({
    format: z.literal("eip712"),
    acceptIndex: z.optional(z.number()),
    payload: z.looseObject({}),
    signature: z.string().check(z.regex(/^0x[0-9a-fA-F]{130}$/)),
  }),
]);
export type SignedStatement = z.output<typeof SignedStatement>;

/** A public key that signs statements, as a JWK; `address` is its EVM address, for keys that sign by EIP-712. */
export const SigningKey = z.looseObject({
  kid: z.string(),
  kty: z.enum(["OKP", "EC"]),
  crv: z.enum(["Ed25519", "P-256", "secp256k1"]),
  alg: z.enum(["EdDSA", "ES256", "ES256K"]),
  x: z.string(),
  y: z.optional(z.string()),
  address: z.optional(z.string()),
});
export type SigningKey = z.output<typeof SigningKey>;
