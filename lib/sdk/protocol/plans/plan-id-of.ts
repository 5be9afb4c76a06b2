import type { PaymentOffer } from "../payment-required.ts";

/** The plan an offer asks for, wherever its writer put it. */
export const planIdOf = (offer: PaymentOffer): string | undefined =>
  offer.planId ?? offer.extra?.planId;
