/** A decline by the card's bank. */
export type Decline = { code: string; decline_code?: string; message: string };

/** How a card behaves when it is saved, charged, and afterwards. */
export type CardBehaviour = {
  onAttach?: Decline;
  onCharge?: Decline;
  /** When the holder must confirm: at every payment, or once when the card is saved. */
  authentication?: "always" | "setup";
  /** Set once the holder confirmed the saved card. */
  isAuthenticated?: boolean;
  after?: { dispute: string } | { refund: "pending" | "failed" };
};

export type TestCard = CardBehaviour & { brand: string; last4: string; number: string };

const declined = (decline_code: string, message = "Your card was declined."): Decline => ({
  code: "card_declined",
  decline_code,
  message,
});

/** The declines in Stripe's documentation, by their token suffix. */
export const DECLINES = {
  "": declined("generic_decline"),
  InsufficientFunds: declined("insufficient_funds", "Your card has insufficient funds."),
  LostCard: declined("lost_card"),
  StolenCard: declined("stolen_card"),
  Fraudulent: declined("fraudulent"),
  VelocityLimitExceeded: declined(
    "card_velocity_exceeded",
    "Your card was declined for making repeated attempts too frequently or exceeding its amount limit.",
  ),
  ExpiredCard: { code: "expired_card", message: "Your card has expired." },
  IncorrectCvc: { code: "incorrect_cvc", message: "Your card's security code is incorrect." },
  ProcessingError: {
    code: "processing_error",
    message: "An error occurred while processing your card. Try again in a little bit.",
  },
} as const satisfies Record<string, Decline>;
export type DeclineName = keyof typeof DECLINES;

const DECLINED_NUMBERS: Record<DeclineName, string> = {
  "": "4000000000000002",
  InsufficientFunds: "4000000000009995",
  LostCard: "4000000000009987",
  StolenCard: "4000000000009979",
  Fraudulent: "4100000000000019",
  VelocityLimitExceeded: "4000000000006975",
  ExpiredCard: "4000000000000069",
  IncorrectCvc: "4000000000000127",
  ProcessingError: "4000000000000119",
};

const card = (brand: string, number: string, behaviour: CardBehaviour = {}): TestCard => ({
  brand,
  number,
  last4: number.slice(-4),
  ...behaviour,
});
const visa = (number: string, behaviour?: CardBehaviour) => card("visa", number, behaviour);

const declining = (Object.keys(DECLINES) as DeclineName[]).flatMap((name) => {
  const onAttach = DECLINES[name];
  const number = DECLINED_NUMBERS[name];
  // Stripe documents these tokens with and without the brand.
  const refused = visa(number, { onAttach, onCharge: onAttach });
  return [
    [`pm_card_chargeDeclined${name}`, refused],
    [`pm_card_visa_chargeDeclined${name}`, refused],
    // Stripe documents this card for the generic decline only: it can be saved, but its charges fail.
    [`pm_card_chargeCustomerFail${name}`, visa("4000000000000341", { onCharge: onAttach })],
  ] as const;
});

/** Test cards by token, as documented by Stripe. */
export const TEST_CARDS: ReadonlyMap<string, TestCard> = new Map([
  ["pm_card_visa", visa("4242424242424242")],
  ["pm_card_visa_debit", visa("4000056655665556")],
  ["pm_card_mastercard", card("mastercard", "5555555555554444")],
  ["pm_card_mastercard_debit", card("mastercard", "5200828282828210")],
  ["pm_card_amex", card("amex", "378282246310005")],
  ["pm_card_discover", card("discover", "6011111111111117")],
  ["pm_card_diners", card("diners", "3056930009020004")],
  ["pm_card_jcb", card("jcb", "3566002020360505")],
  ["pm_card_unionpay", card("unionpay", "6200000000000005")],
  ...declining,
  ["pm_card_radarBlock", visa("4100000000000019", { onCharge: DECLINES.Fraudulent })],
  ["pm_card_authenticationRequired", visa("4000002760003184", { authentication: "always" })],
  ["pm_card_threeDSecure2Required", visa("4000000000003220", { authentication: "always" })],
  ["pm_card_threeDSecureRequired", visa("4000000000003063", { authentication: "always" })],
  ["pm_card_authenticationRequiredOnSetup", visa("4000002500003155", { authentication: "setup" })],
  [
    "pm_card_authenticationRequiredSetupForOffSession",
    visa("4000003800000446", { authentication: "setup", isAuthenticated: true }),
  ],
  [
    "pm_card_authenticationRequiredChargeDeclinedInsufficientFunds",
    visa("4000008260003178", { authentication: "always", onCharge: DECLINES.InsufficientFunds }),
  ],
  ["pm_card_createDispute", visa("4000000000000259", { after: { dispute: "fraudulent" } })],
  [
    "pm_card_createDisputeProductNotReceived",
    visa("4000000000002685", { after: { dispute: "product_not_received" } }),
  ],
  ["pm_card_pendingRefund", visa("4000000000007726", { after: { refund: "pending" } })],
  ["pm_card_refundFail", visa("4000000000005126", { after: { refund: "failed" } })],
]);

export const findCardByNumber = (number: string): TestCard | undefined =>
  [...TEST_CARDS.values()].find((each) => each.number === number.replaceAll(/[\s-]/g, ""));
