import type { Environment } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { CustomerBook } from "./customer-book.ts";

/** What a page needs to talk to the processor directly. */
export type PageSettings = {
  publishableKey: string;
  /** Where a payment's or setup's holder confirms it, when the processor has a page for that. */
  confirmationUrlOf?: ((intentId: string, clientSecret: string) => string) | undefined;
};

/** What the card adapters share. */
export type CardParts = {
  stripe: Stripe;
  environment: Environment;
  customers: CustomerBook;
  page: PageSettings;
  /** The processor's time, where the ledger's is ahead. */
  now?: (() => Date) | undefined;
};
