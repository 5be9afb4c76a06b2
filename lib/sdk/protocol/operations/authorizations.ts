import * as z from "zod/mini";
import { DelegationConfig } from "../delegation.ts";
import { ForeignOffer } from "../exact/foreign-offer.ts";
import { IdempotencyKey } from "../primitives.ts";
import { defineCalls, serveCalls } from "./operation.ts";

/**
 * One payment by `exact` to a seller (EIP-3009). `open`: the seller can capture it until it expires. `paid`: it was
 * captured, in `txHash`. `expired`: it was not, and never can be.
 */
export const PaymentAuthorization = z.object({
  authorizationId: z.string(),
  status: z.enum(["open", "paid", "expired"]),
  delegationId: z.string(),
  offer: ForeignOffer,
  payload: z.object({
    signature: z.string(),
    authorization: z.object({
      from: z.string(),
      to: z.string(),
      value: z.string(),
      validAfter: z.string(),
      validBefore: z.string(),
      nonce: z.string(),
    }),
  }),
  txHash: z.optional(z.string()),
});
export type PaymentAuthorization = z.output<typeof PaymentAuthorization>;

export const authorizations = /* @__PURE__ */ defineCalls({
  /**
   * Signs one `exact` payment from your account to any x402 seller, within a delegation. The same `idempotencyKey`
   * returns the same authorization and its outcome, so that no repeat pays twice. Throws `payment_refused` when less
   * is available, `signature_required` where your own wallet holds the account's key.
   *
   * @example await payments.x402.createAuthorization({ offer, resource: "https://seller.example/quote" })
   */
  createAuthorization: {
    route: "POST /x402/authorizations",
    repeatKey: "idempotencyKey",
    repeatKeyPrefix: "auth_",
    input: z.object({
      idempotencyKey: IdempotencyKey,
      /** The key that an earlier release of the client gave the same call: what it signed for `resource` is the answer. */
      earlierKey: z.optional(IdempotencyKey),
      /** The seller's offer as it is in the 402, whole. */
      offer: ForeignOffer,
      /** The address it pays for. */
      resource: z.string().check(z.maxLength(2048)),
      delegationConfig: z.optional(DelegationConfig),
    }),
    output: PaymentAuthorization,
  },
});

export const authorizationOperations = /* @__PURE__ */ serveCalls(
  { name: "x402", section: "Access tokens", scope: "tokens" },
  authorizations,
  {
    createAuthorization: {
      summary: "Sign one exact payment to any x402 seller",
      tenancy: "everyone",
      sample: ({ builder, freshId }) => ({
        idempotencyKey: freshId(),
        offer: {
          scheme: "exact",
          network: "eip155:84532",
          amount: "10000",
          asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
          payTo: builder.address,
          maxTimeoutSeconds: 60,
          extra: { name: "USDC", version: "2" },
        },
        resource: "https://seller.example/quote",
        delegationConfig: { spendingLimitCents: "100", durationSecs: 3600 },
      }),
    },
  },
);
