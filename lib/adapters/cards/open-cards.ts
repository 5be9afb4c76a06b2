import type { Environment } from "@turnpike/payments/protocol";
import type { CardCustomers } from "@/lib/domain/card-ports.ts";
import type { CardParts, PageSettings } from "./card-parts.ts";
import { createCardProcessor } from "./card-processor.ts";
import { createCardRail } from "./card-rail.ts";
import { createCustomerBook } from "./customer-book.ts";
import { createFindPayment } from "./find-payment.ts";
import { createOpenPayments } from "./open-payments.ts";
import { createPayoutProcessor } from "./payouts.ts";
import { createProcessorRecords } from "./processor-records.ts";
import { createRefunds } from "./refund.ts";
import { createStripe, type StripeSettings } from "./stripe-client.ts";
import { createWebhookReader } from "./webhook.ts";

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
export type Cards = ReturnType<typeof openCards>;

/**
 * Wires the card adapters together; opens no connection yet.
 *
 * @example const { rail } = openCards({ ...env.stripe, environment, customers: createCardCustomers(database) });
 */
export function openCards(settings: CardSettings) {
  const { environment, webhookSecrets, now, publishableKey, confirmationUrlOf } = settings;
  const stripe = createStripe(settings);
  const customers = createCustomerBook(stripe, environment, settings.customers);
  const page = { publishableKey, confirmationUrlOf };
  const common: CardParts = { stripe, environment, customers, page, now };
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
      connectedAccounts,
    }),
    readWebhook: createWebhookReader({ ...common, secrets: webhookSecrets }),
  };
}
