import type { CardConfirmation } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { ChargeOutcome } from "@/lib/domain/orders/order-ports.ts";
import type { CardParts } from "./card-parts.ts";
import type { FindPayment, OrderRef } from "./find-payment.ts";
import { readOutcome } from "./payment-outcome.ts";
import { readable } from "./scrub.ts";

export type OpenPayments = ReturnType<typeof createOpenPayments>;

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
export function createOpenPayments({
  stripe,
  findPayment,
  page,
}: CardParts & { findPayment: FindPayment }) {
  const subjectOf = ({ orderId }: OrderRef) => `Payment of order ${orderId}`;
  return {
    /** How to confirm an order's payment, or null when it does not wait for its holder. */
    confirmationOf: (order: OrderRef): Promise<CardConfirmation | null> =>
      readable(async () => {
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
      }, subjectOf(order)),
    /**
     * Permanently ends an order's payment that is still open, so that it cannot go through later; what became
     * of it. Null when none was made.
     */
    abandon: (order: OrderRef): Promise<ChargeOutcome | null> =>
      readable(async () => {
        const intent = await findPayment(order);
        if (!intent) return null;
        const isOpen = OPEN.includes(intent.status);
        return readOutcome(stripe, isOpen ? await stripe.paymentIntents.cancel(intent.id) : intent);
      }, subjectOf(order)),
  };
}
