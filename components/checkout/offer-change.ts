import type { Offer } from "./plan-price.ts";

type Change = { offer: Offer; newOffer: Offer };

/**
 * What the dialog says of a plan that changed before it was paid, and whether the new terms can be paid from there. A
 * wallet that must sign has signed for the earlier price.
 */
export function offerChange({ offer, newOffer }: Change, mustSign: boolean) {
  const [saw, now] = [offer.terms, newOffer.terms];
  const change = saw === now ? `It is still ${now}; other terms changed.` : `It is now ${now}.`;
  // The form was made for one way to pay, in one currency.
  const isSamePrice = newOffer.price === offer.price;
  const isPayable = newOffer.unit === offer.unit && !mustSign;
  return {
    title: isSamePrice ? "The plan has changed" : "The price has changed",
    description: `You saw ${saw}. ${change} Nothing was charged.`,
    verb: isPayable ? `Pay ${newOffer.price}` : `Show the new ${isSamePrice ? "terms" : "price"}`,
    isPayable,
  };
}
