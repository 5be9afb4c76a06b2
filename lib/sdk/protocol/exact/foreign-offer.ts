import * as z from "zod/mini";

/** An offer of any x402 seller, with all its members: stock servers compare the answer with their own. */
export const ForeignOffer = z.looseObject({
  scheme: z.string().check(z.maxLength(64)),
  network: z.string().check(z.maxLength(64)),
  amount: z.string().check(z.maxLength(78)),
  asset: z.string().check(z.maxLength(128)),
  payTo: z.string().check(z.maxLength(128)),
  maxTimeoutSeconds: z.optional(z.number()),
  extra: z.optional(z.looseObject({ assetTransferMethod: z.optional(z.string()) })),
});
export type ForeignOffer = z.output<typeof ForeignOffer>;
