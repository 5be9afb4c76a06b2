import type { PaymentMethodSummary } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { CardProcessor } from "@/lib/domain/card-ports.ts";
import { answering } from "./answering.ts";
import type { CardParts } from "./card-parts.ts";
import { createCardSetups } from "./card-setups.ts";
import { type ChosenCard, createCustomerCards } from "./customer-cards.ts";

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
