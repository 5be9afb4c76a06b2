import {
  type CardSetup,
  type PaymentMethodSummary,
  PaymentsError,
} from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { CardProcessor } from "@/lib/domain/card-ports.ts";
import { answering } from "./answering.ts";
import type { CardParts } from "./card-parts.ts";
import type { CustomerBook } from "./customer-book.ts";

export type SavedCards = ReturnType<typeof createCardProcessor>;

/**
 * Saved cards at the processor: one customer per account, its cards with the default and the expired ones
 * marked. Refusals are `PaymentsError`s with the bank's reason.
 *
 * @example const cards = createCardProcessor({ stripe, customers, page: { publishableKey } });
 */
export function createCardProcessor(options: CardParts) {
  const { stripe, customers, now = () => new Date() } = options;

  const own = createCustomerCards(stripe, customers);
  const { cardsOf, defaultOf, owned, setDefault } = own;

  const saved: CardProcessor = {
    listPaymentMethods: (account) =>
      answering(() =>
        customers.use(account, async (customer) => {
          const [cards, preferred] = await Promise.all([cardsOf(customer), defaultOf(customer)]);
          return cards.map((card) => summaryOf(card, preferred, now()));
        }),
      ),
    ...createCardSetups(options, own),
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
  };
  return {
    ...saved,
    /**
     * The card to charge: the one named when it is the account's, else its default, or when that has expired the
     * first that has not. Null when there is none.
     */
    chooseCard: (account: string, paymentMethodId: string | null): Promise<ChosenCard | null> =>
      customers.use(account, async (customer) => {
        const cards = await cardsOf(customer);
        const wanted = paymentMethodId ?? (await defaultOf(customer));
        const named = cards.find(({ id }) => id === wanted);
        const isUsable = (card: Stripe.PaymentMethod) => !isExpired(card, now());
        const card =
          paymentMethodId || (named && isUsable(named)) ? named : (cards.find(isUsable) ?? named);
        return card ? { customer, paymentMethodId: card.id } : null;
      }),
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

export type ChosenCard = { customer: string; paymentMethodId: string };

export type CustomerCards = ReturnType<typeof createCustomerCards>;

/** The cards of one customer at the processor. */
function createCustomerCards(stripe: Stripe, customers: CustomerBook) {
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
      if (!card) throw new PaymentsError("not_found", "You have no such saved card.");
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

/** Adding cards: a page, or a test card's name, finishes what begins here. */
function createCardSetups(
  { stripe, customers, page }: CardParts,
  { defaultOf, setDefault }: CustomerCards,
): Pick<CardProcessor, "startCard" | "finishCard" | "saveCard"> {
  /** The state of a setup; a first card becomes the default. */
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

  const create = (account: string, confirmed: Stripe.SetupIntentCreateParams = {}) =>
    answering(() =>
      customers.use(account, async (customer) => {
        const intent = await stripe.setupIntents.create({
          customer,
          usage: "off_session",
          allowed_payment_method_types: ["card"],
          ...confirmed,
        });
        return settled(customer, intent);
      }),
    );

  return {
    startCard: (account) => create(account),
    finishCard: (account, setupIntentId) =>
      answering(async () => {
        const intent = await stripe.setupIntents.retrieve(setupIntentId);
        let customer = await customers.ensure(account);
        if (intent.customer !== customer) customer = await customers.refresh(account);
        if (intent.customer !== customer) {
          throw new PaymentsError("not_found", "You have no such card setup.");
        }
        return settled(customer, intent);
      }),
    saveCard: (account, token) => create(account, { payment_method: token, confirm: true }),
  };
}
