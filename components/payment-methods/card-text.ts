const BRANDS: Record<string, string> = {
  amex: "American Express",
  diners: "Diners Club",
  discover: "Discover",
  jcb: "JCB",
  mastercard: "Mastercard",
  unionpay: "UnionPay",
  visa: "Visa",
};

type Named = { brand: string; last4: string };

/** `Visa ending 4242`. */
export const cardText = ({ brand, last4 }: Named): string =>
  `${BRANDS[brand] ?? brand} ending ${last4}`;

/** `Visa 4242`. */
export const cardShort = ({ brand, last4 }: Named): string => `${BRANDS[brand] ?? brand} ${last4}`;

type Dated = { expMonth: number; expYear: number; isExpired?: boolean | undefined };

/** `04/2029`. */
export const expiryText = ({ expMonth, expYear }: Dated): string =>
  `${String(expMonth).padStart(2, "0")}/${expYear}`;

const SOON_MS = 60 * 86_400_000;

/** A card is good to the last day of its month. */
export function expiryOf(
  { expMonth, expYear, isExpired }: Dated,
  now: Date,
): "good" | "soon" | "expired" {
  const end = Date.UTC(expYear, expMonth, 1);
  if (isExpired || end <= now.getTime()) return "expired";
  return end - now.getTime() <= SOON_MS ? "soon" : "good";
}

/** What a saved card is in a choice of cards; one that has expired says why it cannot be chosen. */
export function cardChoice<Card extends Named & Dated & { id: string }>(card: Card, now: string) {
  const expiry = expiryOf(card, new Date(now));
  return {
    value: card.id,
    label: cardText(card),
    aside: expiryText(card),
    ...(expiry === "expired" && { reason: "This card has expired. It cannot be used." }),
    ...(expiry === "soon" && { detail: "This card expires soon." }),
  };
}
