/** The sandbox’s test cards, each for one outcome. */
export const TEST_CARDS = [
  { number: "4242 4242 4242 4242", name: "pm_card_visa", does: "Succeeds" },
  { number: "4000 0000 0000 0002", name: "pm_card_chargeDeclined", does: "Declined when saved" },
  {
    number: "4000 0000 0000 0341",
    name: "pm_card_chargeCustomerFail",
    does: "Declined when charged",
  },
  {
    number: "4000 0027 6000 3184",
    name: "pm_card_authenticationRequired",
    does: "Requires 3-D Secure",
  },
] as const;

const digits = (text: string) => text.replaceAll(/[\s-]/g, "");

export const findTestCard = (number: string): string | undefined =>
  TEST_CARDS.find((card) => digits(card.number) === digits(number))?.name;
