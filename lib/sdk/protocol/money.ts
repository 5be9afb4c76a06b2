import * as z from "zod/mini";
import { Decimal } from "./primitives.ts";

/**
 * An exact amount: `amount` in the smallest unit, `value` the same written out with its decimals.
 * `currency` is a lower-case code, or a token's address; a token with unknown decimals has no `value`.
 */
export const Money = z.object({
  currency: z.string(),
  amount: Decimal,
  decimals: z.optional(z.number()),
  value: z.optional(z.string()),
});
export type Money = z.output<typeof Money>;
