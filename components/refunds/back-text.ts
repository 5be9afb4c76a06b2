import type { OrderSummary } from "@turnpike/payments/protocol";
import { MINUS } from "@/lib/text/amount-text.ts";
import { plural } from "@/lib/text/plural.ts";
import { exactMoney } from "../ui/values/currency-money.ts";

/** What went back of an order, in the currency it was paid in. */
type Back = NonNullable<OrderSummary["refunded"]>;

/** Whether only a part of what was paid went back. */
export const isPartlyRefunded = ({ status, refunded }: { status: string; refunded?: unknown }) =>
  status === "minted" && refunded !== undefined;

/** What an order lost: `−2.00 USD, −40 credits`. */
export const backText = (back: Back): string => partsOf(back).map(minus).join(", ");

/** The same as a fact: `2.00 USD, 40 credits removed`. */
export function refundedText(back: Back): string {
  const [money, credits] = partsOf(back);
  return credits ? `${money}, ${credits} removed` : `${money}`;
}

const minus = (text: string): string => MINUS + text;

/** A plan of time has no credits to remove, and a refund may leave those that were used. */
const partsOf = (back: Back): string[] => [
  exactMoney(back),
  ...(back.credits === "0" ? [] : [plural(BigInt(back.credits), "credit")]),
];
