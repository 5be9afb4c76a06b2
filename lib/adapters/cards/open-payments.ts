import type { Environment } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { ChargeOutcome } from "@/lib/domain/ports.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import type { CustomerBook } from "./customer-book.ts";
import { findPayment } from "./find-payment.ts";
import { outcomeOfIntent } from "./payment-outcome.ts";
import { PaymentOutcomeUnknown } from "./scrub.ts";

type OrderRef = Pick<OrderRecord, "orderId" | "account">;

/** What the page needs with which a card's holder confirms a payment; for the holder alone. */
export type Confirmation = { clientSecret: string; paymentMethodId: string };

export type OpenPayments = {
  /** How to confirm an order's payment, or null when it does not wait for its holder. */
  confirmationOf: (order: OrderRef) => Promise<Confirmation | null>;
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
 * @example const { abandon } = createOpenPayments({ stripe, environment: "sandbox", customers });
 */
export function createOpenPayments(options: {
  stripe: Stripe;
  environment: Environment;
  customers: CustomerBook;
  now?: () => Date;
}): OpenPayments {
  const { stripe, environment, customers, now = () => new Date() } = options;

  async function paymentOf({ orderId, account }: OrderRef): Promise<Stripe.PaymentIntent | null> {
    const customer = await customers.ensure(account);
    return findPayment(stripe, { orderId, environment, customer, now: now() });
  }

  return {
    confirmationOf: (order) =>
      answering(order, async () => {
        const intent = await paymentOf(order);
        const error = intent?.last_payment_error;
        const isAsked =
          intent?.status === "requires_action" || error?.code === "authentication_required";
        const card = error?.payment_method?.id ?? intent?.payment_method;
        if (!intent?.client_secret || !isAsked || typeof card !== "string") return null;
        if (!OPEN.includes(intent.status)) return null;
        return { clientSecret: intent.client_secret, paymentMethodId: card };
      }),
    abandon: (order) =>
      answering(order, async () => {
        const intent = await paymentOf(order);
        if (!intent || !OPEN.includes(intent.status)) return intent && outcomeOfIntent(intent);
        return outcomeOfIntent(await stripe.paymentIntents.cancel(intent.id));
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
