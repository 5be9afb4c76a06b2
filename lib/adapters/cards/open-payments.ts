import type { CardConfirmation } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { ChargeOutcome } from "@/lib/domain/orders/order-ports.ts";
import type { FindPayment, OrderRef } from "./find-payment.ts";
import type { PageSettings } from "./page-settings.ts";
import { readOutcome } from "./payment-outcome.ts";
import { PaymentOutcomeUnknown } from "./scrub.ts";

export type OpenPayments = {
  /** How to confirm an order's payment, or null when it does not wait for its holder. */
  confirmationOf: (order: OrderRef) => Promise<CardConfirmation | null>;
  /**
   * Ends an order's payment for good when it is still open, so that it cannot go through later; what became
   * of it. Null when none was made.
   */
  abandon: (order: OrderRef) => Promise<ChargeOutcome | null>;
};

const OPEN: readonly Stripe.PaymentIntent.Status[] = [
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
];

/**
 * Payments that wait for their card's holder: confirmed by the holder in time, or given up.
 *
 * @example const { abandon } = createOpenPayments({ stripe, findPayment, page });
 */
export function createOpenPayments(options: {
  stripe: Stripe;
  findPayment: FindPayment;
  page: PageSettings;
}): OpenPayments {
  const { stripe, findPayment, page } = options;

  return {
    confirmationOf: (order) =>
      answering(order, async () => {
        const intent = await findPayment(order);
        const error = intent?.last_payment_error;
        const isAsked =
          intent?.status === "requires_action" || error?.code === "authentication_required";
        const card = error?.payment_method?.id ?? intent?.payment_method;
        if (!intent?.client_secret || !isAsked || typeof card !== "string") return null;
        if (!OPEN.includes(intent.status)) return null;
        const { publishableKey } = page;
        const clientSecret = intent.client_secret;
        const confirmationUrl = page.confirmationUrlOf?.(intent.id, clientSecret);
        return {
          clientSecret,
          publishableKey,
          paymentMethodId: card,
          ...(confirmationUrl && { confirmationUrl }),
        };
      }),
    abandon: (order) =>
      answering(order, async () => {
        const intent = await findPayment(order);
        if (!intent) return null;
        const isOpen = OPEN.includes(intent.status);
        return readOutcome(stripe, isOpen ? await stripe.paymentIntents.cancel(intent.id) : intent);
      }),
  };
}

async function answering<T>({ orderId }: OrderRef, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PaymentOutcomeUnknown) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new PaymentOutcomeUnknown(`Payment of order ${orderId}: ${text}`);
  }
}
