import { toQuote } from "@/lib/domain/orders/money.ts";
import type { RailTerms } from "@/lib/domain/rails/rail.ts";
import { findCardPriceFault } from "./card-price.ts";

const PROCESSOR = "card-processor";

/** What is fixed about paying by card. Nothing goes on chain: a settlement is looked up by its id in the ledger. */
export const cardTerms: RailTerms = {
  scheme: "svc:card-delegation",
  network: PROCESSOR,
  delegationProvider: PROCESSOR,
  takes: ({ isCrypto }) => !isCrypto,
  quote: (price) => toQuote(price, (price.currency ?? "USD").toLowerCase()),
  findPriceFault: findCardPriceFault,
  findTermsFault: ({ price: { currency = "USD" } }) =>
    Intl.supportedValuesOf("currency").includes(currency)
      ? null
      : { path: "priceConfig.currency", message: `Cards can't be charged in ${currency}.` },
  payTo: () => "merchant",
  receiptId: (settlementId) => settlementId,
  needsOwnerSignature: false,
  usesPaymentMethods: true,
  collects: true,
  fiatProvider: PROCESSOR,
};
