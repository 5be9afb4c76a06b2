import { readPaymentRequired } from "@turnpike/payments/protocol";
import { ForeignOffer } from "@/lib/sdk/protocol/exact/foreign-offer.ts";

export * from "@x402/core/schemas";

/** What reads a 402 and its offers in Turnpike, under the names of `@x402/core`; version 1 is the stock reader's. */
export const PaymentRequirementsV2Schema = ForeignOffer;
export const PaymentRequiredV2Schema = {
  safeParse: (value: unknown) => {
    const data = readPaymentRequired(value);
    return { success: data !== null, data };
  },
};
export const isPaymentRequirementsV2 = (value: unknown) => ForeignOffer.safeParse(value).success;
export const isPaymentRequiredV2 = (value: unknown) => readPaymentRequired(value) !== null;
