import { expect, test } from "vitest";
import { progressOf, refusalOf, wasConfirmed } from "./card-setup-progress.ts";

test("a setup that was confirmed at Stripe is finished, not confirmed again", () => {
  expect(progressOf({ status: "succeeded" })).toBe("confirmed");
  expect(progressOf({ status: "processing" })).toBe("checking");
  expect(wasConfirmed({ setup_intent: { status: "succeeded" } })).toBe(true);
  expect(wasConfirmed({ setup_intent: { status: "processing" } })).toBe(true);
});

test("a setup that still needs its card is entered again, and a canceled one begins again", () => {
  expect(progressOf({ status: "requires_payment_method" })).toBe("entering");
  expect(progressOf({ status: "requires_action" })).toBe("entering");
  expect(progressOf({ status: "canceled" })).toBe("canceled");
  expect(wasConfirmed({ setup_intent: { status: "requires_payment_method" } })).toBe(false);
  expect(wasConfirmed({})).toBe(false);
});

test("only a card error is the bank's decline", () => {
  const message = "Your card number is incomplete.";
  expect(refusalOf({ type: "card_error", message }).code).toBe("card_declined");
  expect(refusalOf({ type: "validation_error", message }).code).toBe("validation_error");
});
