import { PaymentsError } from "@turnpike/payments/protocol";
import { Stripe } from "stripe";
import { describeDecline } from "./describe-decline.ts";
import { scrub } from "./scrub.ts";

/** Turns the processor's errors into the service's, without its texts about keys and cards. */
export async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (PaymentsError.is(cause) || !(cause instanceof Stripe.errors.StripeError)) throw cause;
    if (cause instanceof Stripe.errors.StripeCardError) {
      const { code, message } = describeDecline(cause);
      throw new PaymentsError("payment_refused", message, {
        details: [{ path: "paymentMethod", message: code }],
      });
    }
    if (cause.code === "resource_missing") {
      throw new PaymentsError("not_found", "The card processor has no such card or setup.");
    }
    if (cause instanceof Stripe.errors.StripeInvalidRequestError) {
      throw new PaymentsError("invalid_input", scrub(cause.message));
    }
    throw new PaymentsError(
      "unavailable",
      "The card processor is not responding. Nothing was changed.",
      {
        retryAfterSecs: 5,
      },
    );
  }
}
