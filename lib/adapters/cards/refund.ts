import type { Environment } from "@turnpike/payments/protocol";
import { Stripe } from "stripe";
import type { OrderRecord } from "@/lib/domain/records.ts";
import type { CustomerBook } from "./customer-book.ts";
import { findPayment } from "./find-payment.ts";
import { PaymentOutcomeUnknown } from "./scrub.ts";

/** What became of giving a payment back. Not knowing is thrown, never returned. */
export type RefundOutcome =
  | { status: "refunded" | "pending"; reference: string }
  | { status: "not-charged" }
  | { status: "refused"; code: string; message: string };

export type Refunds = {
  /** Gives an order's whole payment back, once, however often it is asked for. */
  refund: (order: Pick<OrderRecord, "orderId" | "account" | "reference">) => Promise<RefundOutcome>;
};

/**
 * Refunds of orders that were charged and cannot be kept. One idempotency key per order, and a look at what
 * was given back already before each attempt.
 *
 * @example const { refund } = createRefunds({ stripe, environment: "sandbox", customers });
 */
export function createRefunds(options: {
  stripe: Stripe;
  environment: Environment;
  customers: CustomerBook;
  now?: () => Date;
}): Refunds {
  const { stripe, environment, customers, now = () => new Date() } = options;

  async function paymentOf(
    order: Pick<OrderRecord, "orderId" | "account" | "reference">,
  ): Promise<Stripe.PaymentIntent | null> {
    if (order.reference?.startsWith("pi_")) {
      return stripe.paymentIntents.retrieve(order.reference, { expand: ["latest_charge"] });
    }
    const customer = await customers.ensure(order.account);
    return findPayment(stripe, { orderId: order.orderId, environment, customer, now: now() });
  }

  async function refundOnce(
    order: Pick<OrderRecord, "orderId" | "account" | "reference">,
  ): Promise<RefundOutcome> {
    const intent = await paymentOf(order);
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
        },
        // A refund the bank sent back may be tried again, under a key of its own.
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
