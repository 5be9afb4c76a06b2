import type { Environment } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { CardCustomers } from "@/lib/domain/card-ports.ts";
import type { PayoutProcessor } from "@/lib/domain/money/payout-ports.ts";
import type { ProcessorRecords } from "@/lib/domain/reconciliation/processor-records.ts";
import { createCardProcessor, type SavedCards } from "./card-processor.ts";
import { type CardRail, createCardRail } from "./card-rail.ts";
import { type CustomerBook, createCustomerBook } from "./customer-book.ts";
import { createFindPayment } from "./find-payment.ts";
import { createOpenPayments, type OpenPayments } from "./open-payments.ts";
import type { PageSettings } from "./page-settings.ts";
import { createPayoutProcessor } from "./payouts.ts";
import { createProcessorRecords } from "./processor-records.ts";
import { createRefunds, type Refunds } from "./refund.ts";
import { createStripe, type StripeSettings } from "./stripe-client.ts";
import { createWebhookReader, type WebhookReader } from "./webhook.ts";

export type CardSettings = StripeSettings &
  PageSettings & {
    environment: Environment;
    customers: CardCustomers;
    /** Of every endpoint that sends to the webhook address. */
    webhookSecrets: readonly string[];
    /** The processor's accounts of builders that have one, by the builder's address in lower case. */
    connectedAccounts?: ReadonlyMap<string, string>;
    now?: () => Date;
  };

/** Everything the service does with cards, on one client. */
export type Cards = {
  stripe: Stripe;
  customers: CustomerBook;
  cards: SavedCards;
  rail: CardRail;
  refunds: Refunds;
  openPayments: OpenPayments;
  payouts: PayoutProcessor;
  records: ProcessorRecords;
  readWebhook: WebhookReader;
};

/**
 * Wires the card adapters together; opens no connection yet.
 *
 * @example const { rail } = openCards({ ...env.stripe, environment, customers: createCardCustomers(database) });
 */
export function openCards(settings: CardSettings): Cards {
  const { environment, webhookSecrets, now, publishableKey, confirmationUrlOf } = settings;
  const stripe = createStripe(settings);
  const customers = createCustomerBook(stripe, environment, settings.customers);
  const page: PageSettings = { publishableKey, confirmationUrlOf };
  const common = { stripe, environment, customers, page, ...(now && { now }) };
  const findPayment = createFindPayment(common);
  const cards = createCardProcessor(common);
  const openPayments = createOpenPayments({ ...common, findPayment });
  const refunds = createRefunds({ ...common, findPayment });
  const { connectedAccounts } = settings;
  return {
    stripe,
    customers,
    cards,
    refunds,
    openPayments,
    payouts: createPayoutProcessor(common),
    records: createProcessorRecords(common),
    rail: createCardRail({
      ...common,
      cards,
      findPayment,
      openPayments,
      refunds,
      ...(connectedAccounts && { connectedAccounts }),
    }),
    readWebhook: createWebhookReader({ ...common, secrets: webhookSecrets }),
  };
}
