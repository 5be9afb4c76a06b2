import { DAY_MS } from "@/lib/text/durations.ts";

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
type Dated = { expMonth: number; expYear: number; isExpired?: boolean | undefined };

/** Stands in for a card's id: one that is still to be added. */
export const NEW_CARD = "new";

export type SavedCard = Named & Dated & { id: string; isDefault?: boolean | undefined };

/** `Visa ending in 4242`. */
export const cardText = ({ brand, last4 }: Named): string =>
  `${BRANDS[brand] ?? brand} ending in ${last4}`;

/** `Visa 4242`. */
export const cardShort = ({ brand, last4 }: Named): string => `${BRANDS[brand] ?? brand} ${last4}`;

/** `04/2029`. */
export const expiryText = ({ expMonth, expYear }: Dated): string =>
  `${String(expMonth).padStart(2, "0")}/${expYear}`;

const SOON_MS = 60 * DAY_MS;

/** A card expires with the last day of its month. */
export function expiryOf(
  { expMonth, expYear, isExpired }: Dated,
  now: Date,
): "good" | "soon" | "expired" {
  const end = Date.UTC(expYear, expMonth, 1);
  if (isExpired || end <= now.getTime()) return "expired";
  return end - now.getTime() <= SOON_MS ? "soon" : "good";
}

/** The card that is chosen first: the default, unless it has expired or is the one to avoid. */
export function firstCard(cards: SavedCard[], now: string, avoid?: string): SavedCard | undefined {
  const usable = cards.filter((card) => expiryOf(card, new Date(now)) !== "expired");
  const others = usable.filter(({ id }) => id !== avoid);
  return others.find(({ isDefault }) => isDefault) ?? others[0] ?? usable[0];
}

export function cardChoice(card: SavedCard, now: string) {
  const expiry = expiryOf(card, new Date(now));
  return {
    value: card.id,
    label: cardText(card),
    aside: expiryText(card),
    ...(expiry === "expired" && { reason: "Expired. Choose another card." }),
    ...(expiry === "soon" && { detail: "Expires soon." }),
  };
}
