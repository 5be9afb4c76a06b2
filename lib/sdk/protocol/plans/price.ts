import * as z from "zod";
import { ZERO_ADDRESS } from "../address.ts";
import { Address, Uint256 } from "../primitives.ts";

/**
 * What a plan costs (§2.10). `amounts` are in the smallest unit of the token; for fiat in
 * millionths of the currency's unit (1.00 USD is `1000000`). The zero address means native token or fiat.
 */
export const PlanPriceConfig = z
  .object({
    tokenAddress: Address.default(ZERO_ADDRESS),
    amounts: z.array(Uint256).max(16),
    receivers: z.array(Address).max(16),
    contractAddress: Address.default(ZERO_ADDRESS),
    feeController: Address.default(ZERO_ADDRESS),
    externalPriceAddress: Address.default(ZERO_ADDRESS),
    templateAddress: Address.default(ZERO_ADDRESS),
    isCrypto: z.boolean().default(true),
    currency: z
      .string()
      .regex(/^[A-Za-z]{3,5}$/, "Expected an ISO-4217 code or a token symbol.")
      .transform((code) => code.toUpperCase())
      .optional(),
  })
  .refine(({ amounts, receivers }) => amounts.length === receivers.length, {
    path: ["receivers"],
    message: "Give each amount its receiver.",
  });
export type PlanPriceConfig = z.output<typeof PlanPriceConfig>;
