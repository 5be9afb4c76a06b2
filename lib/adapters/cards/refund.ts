import type { Environment } from "@turnpike/payments/protocol";
import { Stripe } from "stripe";
import type { RefundOutcome } from "@/lib/domain/orders/order-ports.ts";
import type { FindPayment, OrderRef } from "./find-payment.ts";
import { PaymentOutcomeUnknown } from "./scrub.ts";

export type Refunds = {
  /** Gives an order's whole payment back, once, however often it is asked for. */
  refund: (order: OrderRef) => Promise<RefundOutcome>;
};

/**
 * Refunds of orders that were charged and cannot be kept. One idempotency key per order, and a look at what
 * was given back already before each attempt.
 *
 * @example const { refund } = createRefunds({ stripe, environment: "sandbox", findPayment });
 */
export function createRefunds(options: {
  stripe: Stripe;
  environment: Environment;
  findPayment: FindPayment;
}): Refunds {
  const { stripe, environment, findPayment } = options;

  async function refundOnce(order: OrderRef): Promise<RefundOutcome> {
    const intent = await findPayment(order);
    if (intent?.status !== "succeeded") return { status: "not-charged" };
    const before = await stripe.refunds.list({ payment_intent: intent.id, limit: 100 });
    const standing = before.data.find(({ metadata, status }) => {
      return metadata?.order_id === order.orderId && status !== "failed" && status !== "canceled";
    });
    if (standing) return outcomeOf(standing);
    const failed = before.data.length;
    return outcomeOf(
      await stripe.refunds.create(
        {
          payment_intent: intent.id,
          metadata: { order_id: order.orderId, environment },
          // What went on to the builder's account comes back from there.
          ...(intent.transfer_data && { reverse_transfer: true }),
        },
        // A refund the bank returned may be retried, under a new key.
        { idempotencyKey: `rf_${order.orderId}${failed > 0 ? `_${failed}` : ""}` },
      ),
    );
  }

  return {
    async refund(order) {
      try {
        return await refundOnce(order);
      } catch (cause) {
        const { code, message } = cause as Partial<Stripe.errors.StripeError>;
        const isRefusal =
          cause instanceof Stripe.errors.StripeInvalidRequestError && cause.statusCode === 400;
        if (isRefusal) {
          const text = REFUSED[code ?? ""] ?? "The card processor does not give this payment back.";
          return { status: "refused", code: code ?? "invalid_request", message: text };
        }
        throw new PaymentOutcomeUnknown(`Refund of order ${order.orderId}: ${message ?? cause}`);
      }
    },
  };
}

const REFUSED: Record<string, string> = {
  charge_already_refunded: "The payment was given back before.",
  charge_disputed: "The payment is disputed: the bank has taken it back.",
};

function outcomeOf({ id, status }: Stripe.Refund): RefundOutcome {
  if (status === "succeeded") return { status: "refunded", reference: id };
  if (status === "failed" || status === "canceled") {
    return { status: "refused", code: status, message: "The card's bank sent the refund back." };
  }
  return { status: "pending", reference: id };
}
