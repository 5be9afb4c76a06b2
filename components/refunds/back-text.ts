import type { OrderSummary } from "@turnpike/payments/protocol";
import { MINUS } from "@/lib/text/amount-text.ts";
import { plural } from "@/lib/text/plural.ts";
import { exactMoney } from "../ui/values/currency-money.ts";

/** A part of what was paid, in the currency it was paid in. */
type Back = NonNullable<OrderSummary["refunded"]>;
type OrderBack = { refunded?: Back | undefined; disputed?: Back | undefined };

/** The status of an order of which something went back, unless its own says it. */
export function backStatus({ status, refunded, disputed }: OrderBack & { status: string }) {
  if (status === "refunded") return disputed && !refunded ? "Disputed" : undefined;
  if (disputed) return "Partly disputed";
  return refunded && "Partly refunded";
}

/** What an order lost: `−2.00 USD, −40 credits`, and `−3.00 USD disputed, −60 credits`. */
export const backTexts = ({ refunded, disputed }: OrderBack): string[] => [
  ...(refunded ? [partsOf(refunded).map(minus).join(", ")] : []),
  ...(disputed ? [partsOf(disputed, " disputed").map(minus).join(", ")] : []),
];

/** The same as a fact: `2.00 USD, 40 credits removed`. */
export function refundedText(back: Back): string {
  const [money, credits] = partsOf(back);
  return credits ? `${money}, ${credits} removed` : `${money}`;
}

const minus = (text: string): string => MINUS + text;

/** A plan of time has no credits to remove, and a refund may leave those that were used. */
const partsOf = (back: Back, how = ""): string[] => [
  `${exactMoney(back)}${how}`,
  ...(back.credits === "0" ? [] : [plural(BigInt(back.credits), "credit")]),
];
