import {
  type CardSetup,
  type PaymentMethodSummary,
  PaymentsError,
} from "@turnpike/payments/protocol";
import { Stripe } from "stripe";
import type { CardProcessor } from "@/lib/domain/card-ports.ts";
import type { CustomerBook } from "./customer-book.ts";
import { describeDecline } from "./describe-decline.ts";
import type { PageSettings } from "./page-settings.ts";
import { scrub } from "./scrub.ts";

export type SavedCards = CardProcessor & {
  /**
   * The card to charge: the one named when it is the account's, else its default, or when that has expired the
   * first that has not. Null when there is none.
   */
  chooseCard: (account: string, paymentMethodId: string | null) => Promise<ChosenCard | null>;
};

export type ChosenCard = { customer: string; paymentMethodId: string };

/**
 * Saved cards at the processor: one customer per account, its cards with the default and the expired ones
 * marked. Refusals are `PaymentsError`s with the bank's reason.
 *
 * @example const cards = createCardProcessor({ stripe, customers, page: { publishableKey } });
 */
export function createCardProcessor(options: {
  stripe: Stripe;
  customers: CustomerBook;
  page: PageSettings;
  now?: () => Date;
}): SavedCards {
  const { stripe, customers, page, now = () => new Date() } = options;

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
    const paymentMethodId = typeof method === "string" ? method : method?.id;
    if (isSaved && paymentMethodId && (await defaultOf(customer)) === null) {
      await setDefault(customer, paymentMethodId);
    }
    const clientSecret = intent.client_secret ?? "";
    const confirmationUrl = page.confirmationUrlOf?.(intent.id, clientSecret);
    return {
      setupIntentId: intent.id,
      clientSecret,
      publishableKey: page.publishableKey,
      status: intent.status as CardSetup["status"],
      ...(isSaved && paymentMethodId && { paymentMethodId }),
      ...(intent.status === "requires_action" && confirmationUrl && { confirmationUrl }),
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
      const wanted = paymentMethodId ?? (await defaultOf(customer));
      const named = cards.find(({ id }) => id === wanted);
      const isUsable = (card: Stripe.PaymentMethod) => !isExpired(card, now());
      const card =
        paymentMethodId || (named && isUsable(named)) ? named : (cards.find(isUsable) ?? named);
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
    isExpired: isExpired({ card }, now),
  };
}

/** A card is good to the end of its last month. */
const isExpired = ({ card }: Pick<Stripe.PaymentMethod, "card">, now: Date): boolean =>
  Date.UTC(card?.exp_year ?? 0, card?.exp_month ?? 0) <= now.getTime();

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
