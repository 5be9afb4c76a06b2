import { PaymentsError } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { CustomerBook } from "./customer-book.ts";

export type ChosenCard = { customer: string; paymentMethodId: string };

export type CustomerCards = ReturnType<typeof createCustomerCards>;

/** The cards of one customer at the processor. */
export function createCustomerCards(stripe: Stripe, customers: CustomerBook) {
  async function cardsOf(customer: string): Promise<Stripe.PaymentMethod[]> {
    const cards: Stripe.PaymentMethod[] = [];
    const pages = stripe.paymentMethods.list({ customer, type: "card", limit: 100 });
    for await (const card of pages) cards.push(card);
    return cards;
  }

  async function defaultOf(customer: string): Promise<string | null> {
    const found = await stripe.customers.retrieve(customer);
    if (found.deleted) return null;
    const { default_payment_method: card } = found.invoice_settings;
    return typeof card === "string" ? card : (card?.id ?? null);
  }

  /** The account's customer and the card named, or `not_found`. */
  async function owned(account: string, paymentMethodId: string): Promise<ChosenCard> {
    return customers.use(account, async (customer) => {
      const card = (await cardsOf(customer)).find(({ id }) => id === paymentMethodId);
      if (!card) throw new PaymentsError("not_found", "There is no such saved card of yours.");
      return { customer, paymentMethodId: card.id };
    });
  }

  async function setDefault(customer: string, paymentMethodId: string): Promise<void> {
    await stripe.customers.update(customer, {
      invoice_settings: { default_payment_method: paymentMethodId },
    });
  }

  return { cardsOf, defaultOf, owned, setDefault };
}
