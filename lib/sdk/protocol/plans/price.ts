import * as z from "zod/mini";
import { ZERO_ADDRESS } from "../address.ts";
import { Address, Uint256 } from "../primitives.ts";

/**
 * What a plan costs (§2.10). `amounts` are in the smallest unit of the token; for fiat in
 * millionths of the currency's unit (1.00 USD is `1000000`). The zero address means native token or fiat.
 */
export const PlanPriceConfig = z
  .object({
    tokenAddress: z._default(Address, ZERO_ADDRESS),
    amounts: z.array(Uint256).check(z.maxLength(16)),
    receivers: z.array(Address).check(z.maxLength(16)),
    contractAddress: z._default(Address, ZERO_ADDRESS),
    feeController: z._default(Address, ZERO_ADDRESS),
    externalPriceAddress: z._default(Address, ZERO_ADDRESS),
    templateAddress: z._default(Address, ZERO_ADDRESS),
    isCrypto: z._default(z.boolean(), true),
    currency: z.optional(
      z.pipe(
        z
          .string()
          .check(z.regex(/^[A-Za-z]{3,5}$/, "Expected an ISO-4217 code or a token symbol.")),
        z.transform((code) => code.toUpperCase()),
      ),
    ),
  })
  .check(
    z.refine(({ amounts, receivers }) => amounts.length === receivers.length, {
      path: ["receivers"],
      message: "Give each amount its receiver.",
    }),
  );
export type PlanPriceConfig = z.output<typeof PlanPriceConfig>;
