import type { Environment } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import { createCardProcessor, type SavedCards } from "./card-processor.ts";
import { type CardRail, createCardRail } from "./card-rail.ts";
import { type CustomerBook, createCustomerBook } from "./customer-book.ts";
import { createOpenPayments, type OpenPayments } from "./open-payments.ts";
import { createRefunds, type Refunds } from "./refund.ts";
import { createStripe, type StripeSettings } from "./stripe-client.ts";
import { createWebhookReader, type WebhookReader } from "./webhook.ts";

export type CardSettings = StripeSettings & {
  environment: Environment;
  webhookSecret: string;
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
  readWebhook: WebhookReader;
};

/**
 * Wires the card adapters together; opens no connection yet.
 *
 * @example const { rail, cards } = openCards({ ...env.stripe, environment: env.environment });
 */
export function openCards({ environment, webhookSecret, now, ...settings }: CardSettings): Cards {
  const stripe = createStripe(settings);
  const customers = createCustomerBook(stripe, environment);
  const common = { stripe, environment, customers, ...(now && { now }) };
  const cards = createCardProcessor(common);
  return {
    stripe,
    customers,
    cards,
    rail: createCardRail({ ...common, cards }),
    refunds: createRefunds(common),
    openPayments: createOpenPayments(common),
    readWebhook: createWebhookReader({ ...common, secret: webhookSecret }),
  };
}
