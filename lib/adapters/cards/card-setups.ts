import { type CardSetup, PaymentsError } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { CardProcessor } from "@/lib/domain/card-ports.ts";
import { answering } from "./answering.ts";
import type { CardParts } from "./card-parts.ts";
import type { CustomerCards } from "./customer-cards.ts";

/** Adding cards: a page, or a test card's name, finishes what begins here. */
export function createCardSetups(
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
          throw new PaymentsError("not_found", "There is no such card setup of yours.");
        }
        return settled(customer, intent);
      }),
    saveCard: (account, token) => create(account, { payment_method: token, confirm: true }),
  };
}
