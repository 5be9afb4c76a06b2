import { type PaymentMethodSummary, PaymentsError } from "@turnpike/payments/protocol";
import { Stripe } from "stripe";
import type { CardProcessor } from "@/lib/domain/ports.ts";
import type { CustomerBook } from "./customer-book.ts";
import { describeDecline } from "./describe-decline.ts";
import { scrub } from "./scrub.ts";

/** Where adding a card stands: `clientSecret` is for the page that asks for it, and for nobody else. */
export type CardSetup = {
  setupIntentId: string;
  clientSecret: string;
  status: Stripe.SetupIntent.Status;
  /** The saved card, once it is saved. */
  paymentMethodId: string | null;
};

export type SavedCards = CardProcessor & {
  /** Begins adding a card: a page finishes it with the client secret. */
  startCard: (account: string) => Promise<CardSetup>;
  /** How adding a card went; the first card becomes the default. `not_found` for another account's. */
  finishCard: (account: string, setupIntentId: string) => Promise<CardSetup>;
  /** Saves a card the processor knows by a token, such as the sandbox's test cards. */
  saveCard: (account: string, token: string) => Promise<CardSetup>;
  /** Forgets a card; it can never be charged again. `not_found` for another account's. */
  removeCard: (account: string, paymentMethodId: string) => Promise<void>;
  setDefaultCard: (account: string, paymentMethodId: string) => Promise<void>;
  /** The card to charge: the one named when it is the account's, or its default. Null when there is none. */
  chooseCard: (account: string, paymentMethodId: string | null) => Promise<ChosenCard | null>;
};

export type ChosenCard = { customer: string; paymentMethodId: string };

/**
 * Saved cards at the processor: one customer per account, its cards with the default and the expired ones
 * marked. Refusals are `PaymentsError`s with the bank's reason.
 *
 * @example const cards = createCardProcessor({ stripe, customers: createCustomerBook(stripe, "sandbox") });
 */
export function createCardProcessor(options: {
  stripe: Stripe;
  customers: CustomerBook;
  now?: () => Date;
}): SavedCards {
  const { stripe, customers, now = () => new Date() } = options;

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

  /** The customer and the card of the account's that is meant, or `not_found`. */
  async function owned(account: string, paymentMethodId: string): Promise<ChosenCard> {
    const customer = await customers.ensure(account);
    const card = (await cardsOf(customer)).find(({ id }) => id === paymentMethodId);
    if (!card) throw new PaymentsError("not_found", "There is no such saved card of yours.");
    return { customer, paymentMethodId: card.id };
  }

  async function setDefault(customer: string, paymentMethodId: string): Promise<void> {
    await stripe.customers.update(customer, {
      invoice_settings: { default_payment_method: paymentMethodId },
    });
  }

  /** What a setup came to; a first card becomes the default. */
  async function settled(customer: string, intent: Stripe.SetupIntent): Promise<CardSetup> {
    const isSaved = intent.status === "succeeded";
    const method = intent.payment_method;
    const paymentMethodId = typeof method === "string" ? method : (method?.id ?? null);
    if (isSaved && paymentMethodId && (await defaultOf(customer)) === null) {
      await setDefault(customer, paymentMethodId);
    }
    return {
      setupIntentId: intent.id,
      clientSecret: intent.client_secret ?? "",
      status: intent.status,
      paymentMethodId: isSaved ? paymentMethodId : null,
    };
  }

  return {
    listPaymentMethods: (account) =>
      answering(async () => {
        const customer = await customers.ensure(account);
        const [cards, preferred] = await Promise.all([cardsOf(customer), defaultOf(customer)]);
        return cards.map((card) => summaryOf(card, preferred, now()));
      }),
    startCard: (account) =>
      answering(async () => {
        const customer = await customers.ensure(account);
        return settled(
          customer,
          await stripe.setupIntents.create({
            customer,
            usage: "off_session",
            allowed_payment_method_types: ["card"],
          }),
        );
      }),
    finishCard: (account, setupIntentId) =>
      answering(async () => {
        const customer = await customers.ensure(account);
        const intent = await stripe.setupIntents.retrieve(setupIntentId);
        if (intent.customer !== customer) {
          throw new PaymentsError("not_found", "There is no such card setup of yours.");
        }
        return settled(customer, intent);
      }),
    saveCard: (account, token) =>
      answering(async () => {
        const customer = await customers.ensure(account);
        return settled(
          customer,
          await stripe.setupIntents.create({
            customer,
            usage: "off_session",
            allowed_payment_method_types: ["card"],
            payment_method: token,
            confirm: true,
          }),
        );
      }),
    removeCard: (account, paymentMethodId) =>
      answering(async () => {
        const card = await owned(account, paymentMethodId);
        await stripe.paymentMethods.detach(card.paymentMethodId);
      }),
    setDefaultCard: (account, paymentMethodId) =>
      answering(async () => {
        const card = await owned(account, paymentMethodId);
        await setDefault(card.customer, card.paymentMethodId);
      }),
    async chooseCard(account, paymentMethodId) {
      const customer = await customers.ensure(account);
      const cards = await cardsOf(customer);
      const wanted = paymentMethodId ?? (await defaultOf(customer)) ?? cards[0]?.id;
      const card = cards.find(({ id }) => id === wanted);
      return card ? { customer, paymentMethodId: card.id } : null;
    },
  };
}

function summaryOf(
  { id, card }: Stripe.PaymentMethod,
  preferred: string | null,
  now: Date,
): PaymentMethodSummary {
  const {
    brand = "unknown",
    last4 = "",
    exp_month: expMonth = 0,
    exp_year: expYear = 0,
  } = card ?? {};
  return {
    id,
    type: "card",
    brand,
    last4,
    expMonth,
    expYear,
    isDefault: id === preferred,
    // A card is good to the end of its last month.
    isExpired: Date.UTC(expYear, expMonth) <= now.getTime(),
  };
}

/** Turns what the processor throws into the service's errors, without its words about keys and cards. */
async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (PaymentsError.is(cause) || !(cause instanceof Stripe.errors.StripeError)) throw cause;
    if (cause instanceof Stripe.errors.StripeCardError) {
      const { code, message } = describeDecline(cause);
      throw new PaymentsError("payment_refused", message, {
        details: [{ path: "paymentMethod", message: code }],
      });
    }
    if (cause.code === "resource_missing") {
      throw new PaymentsError("not_found", "The card processor knows no such card or setup.");
    }
    if (cause instanceof Stripe.errors.StripeInvalidRequestError) {
      throw new PaymentsError("invalid_input", scrub(cause.message));
    }
    throw new PaymentsError("unavailable", "The card processor does not answer. Nothing changed.", {
      retryAfterSecs: 5,
    });
  }
}
