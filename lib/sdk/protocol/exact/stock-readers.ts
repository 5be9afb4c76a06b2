import { OTHER_OFFERS, type PaymentOffer, type X402PaymentRequired } from "../payment-required.ts";
import { isExactOffer } from "./exact-payload.ts";

/** The x402 extension by which the header of a refused payment names its finer cause, which the body has as `cause`. */
export const REFUSAL_EXTENSION = "refusal";

/**
 * A requirement as stock x402 clients read it. Where such a client can pay an offer, `accepts` has only offers that its
 * schema accepts, and the rest travels in an extension; where it cannot, the specification's literals stay. Of more than
 * `limit` offers those by `exact` are kept first.
 */
export function forStockReaders(
  { accepts: all, ...requirement }: X402PaymentRequired,
  limit = all.length,
): X402PaymentRequired {
  const exact = all.filter(isExactOffer);
  // A stock client knows no other offer.
  const kept = new Set([...exact, ...all.filter((offer) => !isExactOffer(offer))].slice(0, limit));
  const accepts = all.filter((offer) => kept.has(offer));
  if (exact.length === 0) return { ...requirement, accepts };
  const isStock = ({ network }: PaymentOffer) => network?.includes(":") === true;
  const others = accepts.filter((offer) => !isStock(offer));
  const extensions = { ...requirement.extensions, [OTHER_OFFERS]: { info: { accepts: others } } };
  return { ...requirement, accepts: accepts.filter(isStock), extensions };
}
