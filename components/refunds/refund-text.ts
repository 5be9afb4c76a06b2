import type { Refund, Refundable, RefundStatus } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { currencyMoney } from "../ui/values/currency-money.ts";
import type { State } from "../ui/values/state-pill.tsx";

export const REFUND_STATES: Record<RefundStatus, State> = {
  requested: { tone: "warn", word: "Waiting" },
  declined: { tone: "neutral", word: "Declined" },
  open: { tone: "running", word: "Sending" },
  paid: { tone: "good", word: "Refunded" },
  refused: { tone: "bad", word: "Failed" },
};

/** What goes back: money, or a call's credits. Earlier requests did not note how many. */
export function refundText({ amount, currency, credits }: Refund): string {
  if (amount !== "0") return currencyMoney(amount, currency);
  return credits === "0" ? "the call’s credits" : plural(BigInt(credits), "credit");
}

/** The button that refunds: the amount where one is chosen. */
export function refundVerb(
  orderId: string | undefined,
  found: Refundable | undefined,
  amount?: string,
) {
  if (!orderId) return "Refund credits";
  return found && amount ? `Refund ${currencyMoney(amount, found.currency)}` : "Refund";
}
