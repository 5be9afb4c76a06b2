import type { CardSetup } from "@turnpike/payments/protocol";

/**
 * How far a card is: being entered, confirmed at Stripe but not finished here, being checked by its bank, or canceled.
 */
export type SetupProgress = "entering" | "confirmed" | "checking" | "canceled";

/** What a setup that isn't saved yet needs next. Stripe refuses to confirm one again that was confirmed. */
export function progressOf({ status }: Pick<CardSetup, "status">): SetupProgress {
  if (status === "succeeded") return "confirmed";
  if (status === "processing") return "checking";
  return status === "canceled" ? "canceled" : "entering";
}

/** The part of Stripe's error that is read here. */
type StripeError = {
  type?: string;
  message?: string;
  setup_intent?: { status?: string | null };
};

/** Whether an error says that the setup was confirmed before: the answer to the first attempt was lost. */
export const wasConfirmed = ({ setup_intent: intent }: StripeError): boolean =>
  intent?.status === "succeeded" || intent?.status === "processing";

/** Only some errors are the bank's: others are of the fields or the connection. */
export const refusalOf = ({ type = "card_error", message }: StripeError) => ({
  code: type === "card_error" ? "card_declined" : type,
  message: message ?? "The card was declined.",
  hint: "",
});
