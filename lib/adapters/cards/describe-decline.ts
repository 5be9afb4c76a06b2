/** What a decline says about itself: Stripe's error, or an intent's last error. */
export type DeclineFacts = {
  code?: string | undefined;
  decline_code?: string | undefined;
};

export type Refusal = {
  code: string;
  /** What happened and what to do next, for people. */
  message: string;
  /** What to do next, alone. */
  nextStep: string;
  requiresAction?: true;
};

type Text = readonly [what: string, nextStep: string];

const OTHER_CARD = "Use another card.";
const ASK_BANK = "Ask the card's bank, or use another card.";

/**
 * What happened and what to do next, by the processor's code. Banks ask not to tell whether a card is
 * lost, stolen or suspected: those say no more than a plain decline does.
 */
const TEXTS: Record<string, Text> = {
  generic_decline: ["The card was declined.", ASK_BANK],
  card_declined: ["The card was declined.", ASK_BANK],
  lost_card: ["The card was declined.", OTHER_CARD],
  stolen_card: ["The card was declined.", OTHER_CARD],
  fraudulent: ["The card was declined.", OTHER_CARD],
  pickup_card: ["The card was declined.", OTHER_CARD],
  restricted_card: ["The card was declined.", OTHER_CARD],
  do_not_honor: ["The card's bank did not honor the payment.", ASK_BANK],
  call_issuer: ["The card's bank asks you to call it first.", ASK_BANK],
  insufficient_funds: ["The card has insufficient funds.", "Add funds to it, or use another card."],
  withdrawal_count_limit_exceeded: [
    "The card is over its limit.",
    "Wait until its limit resets, or use another card.",
  ],
  card_velocity_exceeded: [
    "The card was used too often or for too large an amount.",
    "Wait until its limit resets, or use another card.",
  ],
  expired_card: ["The card has expired.", "Save a card that is still valid."],
  incorrect_cvc: [
    "The card's security code is wrong.",
    "Save the card again with the correct code.",
  ],
  invalid_cvc: ["The card's security code is wrong.", "Save the card again with the correct code."],
  incorrect_number: ["The card's number is wrong.", "Save the card again with the correct number."],
  invalid_number: ["The card's number is wrong.", "Save the card again with the correct number."],
  invalid_expiry_month: ["The card's expiry month is wrong.", "Save the card again."],
  invalid_expiry_year: ["The card's expiry year is wrong.", "Save the card again."],
  incorrect_zip: ["The card's postal code is wrong.", "Save the card again with the correct one."],
  processing_error: ["The bank failed to process the card.", "Order again in a few minutes."],
  issuer_not_available: ["The card's bank could not be reached.", "Order again in a few minutes."],
  try_again_later: ["The card's bank was too busy.", "Order again in a few minutes."],
  currency_not_supported: ["The card can't be charged in this currency.", OTHER_CARD],
  card_not_supported: ["The card can't be used for this kind of purchase.", ASK_BANK],
  payment_intent_authentication_failure: [
    "The bank's confirmation failed.",
    "Order again and confirm, or use another card.",
  ],
};

/** A decline with its own code, what it means, and the next step. */
export function describeDecline(facts: DeclineFacts): Refusal {
  const { code = "card_declined", decline_code = "" } = facts;
  if (code === "authentication_required" || decline_code === "authentication_required") {
    const what = "The card's bank wants its holder to confirm this payment.";
    const text: Text = [what, "Confirm it, or use another card."];
    return { ...refusalOf("authentication_required", text), requiresAction: true };
  }
  const own = code === "card_declined" ? decline_code || code : code;
  return refusalOf(own, TEXTS[own] ?? [`The card was declined (${own}).`, ASK_BANK]);
}

const refusalOf = (code: string, [what, nextStep]: Text): Refusal => ({
  code,
  message: `${what} ${nextStep}`,
  nextStep,
});
