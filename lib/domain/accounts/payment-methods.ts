import { type CardRemoval, type CardSetup, PaymentsError } from "@turnpike/payments/protocol";
import type { CardProcessor, CardUses } from "../card-ports.ts";
import { auditNote, type Context, invalid, requireCaller } from "../context.ts";
import type { Verb } from "../verb.ts";

/** The caller's saved cards (§2.3), the default and the expired ones marked. */
export async function listPaymentMethods(context: Context) {
  const { account } = requireCaller(context);
  return (await context.ports.cards?.listPaymentMethods(account)) ?? [];
}

/** Begins saving a card; a page finishes it. A test card, in the sandbox alone, is saved at once. */
export const addPaymentMethod: Verb<"addPaymentMethod"> = async (context, { testCard }) => {
  const { account } = requireCaller(context);
  const cards = cardsOf(context);
  if (testCard === undefined) return cards.startCard(account);
  if (context.ports.environment === "sandbox") {
    return noteSaved(context, await cards.saveCard(account, testCard));
  }
  throw invalid("testCard", "Test cards are for the sandbox.");
};

export const finishPaymentMethod: Verb<"finishPaymentMethod"> = async (
  context,
  { setupIntentId },
) => {
  const { account } = requireCaller(context);
  return noteSaved(context, await cardsOf(context).finishCard(account, setupIntentId));
};

/** The processor has the card, so no row of the ledger tells of it. Finishing a setup twice may tell it twice. */
async function noteSaved(context: Context, setup: CardSetup): Promise<CardSetup> {
  const { account } = requireCaller(context);
  const { paymentMethodId } = setup;
  if (setup.status !== "succeeded" || !paymentMethodId) return setup;
  const card = cardName(await cardsOf(context).listPaymentMethods(account), paymentMethodId);
  const event = { account, type: "card.added", subject: card, data: { card } };
  await context.ports.events.queue(event);
  return setup;
}

export const setDefaultPaymentMethod: Verb<"setDefaultPaymentMethod"> = async (
  context,
  { paymentMethodId },
) => {
  const { account } = requireCaller(context);
  const cards = cardsOf(context);
  const card = cardName(await cards.listPaymentMethods(account), paymentMethodId);
  await cards.setDefaultCard(account, paymentMethodId);
  await context.ports.audit.write(auditNote(context, "payment-method.default", card));
  return { success: true } as const;
};

/**
 * Forgets a card and ends what charges it. The delegations and tokens end first: should the processor not
 * answer then, nothing can charge the card any more, and removing it again finishes the work.
 */
export const removePaymentMethod: Verb<"removePaymentMethod"> = async (
  context,
  { paymentMethodId, dryRun },
) => {
  const { account } = requireCaller(context);
  const cards = cardsOf(context);
  const { cardDelegations } = context.ports;
  const saved = await cards.listPaymentMethods(account);
  if (!saved.some(({ id }) => id === paymentMethodId)) {
    throw new PaymentsError("not_found", "You have no such saved card.");
  }
  if (dryRun) return removalOf(await cardDelegations.usesOf(account, paymentMethodId), false);
  const note = auditNote(context, "payment-method.remove", cardName(saved, paymentMethodId));
  const ended = await cardDelegations.end(account, paymentMethodId, note);
  await cards.removeCard(account, paymentMethodId);
  return removalOf(ended, true);
};

const removalOf = ({ delegations, tokens }: CardUses, removed: boolean): CardRemoval => ({
  removed,
  delegations: delegations.map(({ leftCents, ...delegation }) => ({
    ...delegation,
    remainingBudgetCents: leftCents.toString(),
  })),
  tokens,
});

/** How the audit trail calls a card: never by the id that charges it. */
const cardName = (saved: { id: string; brand: string; last4: string }[], wanted: string) => {
  const card = saved.find(({ id }) => id === wanted);
  return `${card?.brand ?? "card"} ${card?.last4 ?? ""}`.trim();
};

/** The card processor, or `rail_unavailable`. */
export function cardsOf({ ports }: Context): CardProcessor {
  if (ports.cards) return ports.cards;
  throw new PaymentsError("rail_unavailable", "This deployment has no card processor configured.");
}
