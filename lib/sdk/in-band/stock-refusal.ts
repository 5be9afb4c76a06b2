import type { RefusalBody } from "../gate/refusals.ts";
import { forStockReaders } from "../protocol/exact/stock-readers.ts";

/** A refusal whose requirement is at the top, where stock x402 clients look for it. */
export const stockRefusal = ({ paymentRequired, ...refusal }: RefusalBody) => ({
  ...(paymentRequired && forStockReaders(paymentRequired)),
  ...refusal,
  error: refusal.code,
});
