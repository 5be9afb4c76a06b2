import { Stripe } from "stripe";
import { payoutStepOf } from "@/lib/console/minor-units.ts";
import type { PaymentRefund } from "@/lib/domain/money/refund-ports.ts";
import type { RefundOutcome } from "@/lib/domain/orders/order-ports.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import type { CardParts } from "./card-parts.ts";
import { countedOf, priceOf } from "./charge-amount.ts";
import { takeRefundShare } from "./connected/refund-share.ts";
import type { FindPayment, OrderRef } from "./find-payment.ts";
import { PaymentOutcomeUnknown, readable } from "./scrub.ts";
import { createSendOnce, LISTED_MS } from "./send-once.ts";

/** More than one for each cent is refused by the processor before. */
const MOST_REFUNDS = 10_000;

type Part = { refundId: string; amount: bigint };

export type Refunds = ReturnType<typeof createRefunds>;

/**
 * Refunds of orders, whole or in part. One idempotency key per refund, and a look at what was given back already before
 * each attempt.
 *
 * @example const { refundPart } = createRefunds({ stripe, environment: "sandbox", findPayment });
 */
export function createRefunds(options: CardParts & { findPayment: FindPayment }) {
  const { stripe, environment, findPayment } = options;
  const sendOnce = createSendOnce(options.now);
  const listOf = (intent: Stripe.PaymentIntent) =>
    stripe.refunds
      .list({ payment_intent: intent.id, limit: 100 })
      .autoPagingToArray({ limit: MOST_REFUNDS });

  const create = async (
    intent: Stripe.PaymentIntent,
    ids: Record<string, string>,
    request: { idempotencyKey: string; amount?: number },
  ) => {
    const { idempotencyKey, amount } = request;
    const metadata = { ...ids, environment };
    const share = await takeRefundShare(stripe, { intent, metadata, ...request });
    return stripe.refunds.create(
      { payment_intent: intent.id, ...(amount !== undefined && { amount }), metadata, ...share },
      { idempotencyKey },
    );
  };

  async function refundOnce(order: OrderRef): Promise<RefundOutcome> {
    const intent = await findPayment(order);
    if (intent?.status !== "succeeded") return { status: "not-charged" };
    const before = await listOf(intent);
    const standingOf = (made: Stripe.Refund[]) =>
      made.find(
        ({ metadata, status }) =>
          metadata?.order_id === order.orderId && status !== "failed" && status !== "canceled",
      );
    const standing = standingOf(before);
    if (standing) return outcomeOf(standing);
    // A refund the bank returned may be retried, under a new key.
    const suffix = before.length > 0 ? `_${before.length}` : "";
    const idempotencyKey = `rf_${order.orderId}${suffix}`;
    // One that was refused may be too: its cause can pass, and there is one refund of an order.
    return outcomeOf(
      await sendOnce(
        idempotencyKey,
        (key) => create(intent, { order_id: order.orderId }, { idempotencyKey: key }),
        { find: async () => standingOf(await listOf(intent)), afterMs: LISTED_MS },
      ),
    );
  }

  async function refundPartOnce(
    order: OrderRecord,
    { refundId, amount }: Part,
  ): Promise<RefundOutcome> {
    const intent = await findPayment(order);
    if (intent?.status !== "succeeded") return { status: "not-charged" };
    const find = async () =>
      (await listOf(intent)).find(({ metadata }) => metadata?.refund_id === refundId);
    const known = await find();
    if (known) return outcomeOf(known);
    const metadata = { order_id: order.orderId, refund_id: refundId };
    const minor = countedOf(amount, order.currency);
    return outcomeOf(
      await sendOnce(
        `rf_${refundId}`,
        (idempotencyKey) => create(intent, metadata, { idempotencyKey, amount: minor }),
        { find, afterMs: LISTED_MS, isFinal: true },
      ),
    );
  }

  return {
    /** Gives an order's whole payment back, once, however often it is asked for. */
    refund: (order: OrderRef) => answering(`order ${order.orderId}`, () => refundOnce(order)),
    /** Gives a part of an order's payment back, once for each refund. */
    refundPart: (order: OrderRecord, part: Part) =>
      answering(`order ${order.orderId}`, () => refundPartOnce(order, part)),
    refundStep: payoutStepOf,
    /** Every refund of the order's payment, with the id it has here where it was made here. */
    listRefunds: (order: OrderRecord): Promise<PaymentRefund[]> =>
      readable(async () => {
        const intent = await findPayment(order);
        if (!intent) return [];
        return (await listOf(intent)).map(({ id, metadata, amount, status }) => ({
          reference: id,
          refundId: metadata?.refund_id ?? null,
          amount: priceOf(amount, order.currency),
          state: stateOf(status),
        }));
      }),
  };
}

async function answering(
  subject: string,
  work: () => Promise<RefundOutcome>,
): Promise<RefundOutcome> {
  try {
    return await work();
  } catch (cause) {
    const { code, message } = cause as Partial<Stripe.errors.StripeError>;
    const isRefusal =
      cause instanceof Stripe.errors.StripeInvalidRequestError && cause.statusCode === 400;
    if (isRefusal) {
      const text = REFUSED[code ?? ""] ?? "The card processor can't refund this payment.";
      return { status: "refused", code: code ?? "invalid_request", message: text };
    }
    throw new PaymentOutcomeUnknown(`Refund of ${subject}: ${message ?? cause}`);
  }
}

const stateOf = (status: string | null): PaymentRefund["state"] => {
  if (status === "succeeded") return "paid";
  return status === "failed" || status === "canceled" ? "refused" : "open";
};

const REFUSED: Record<string, string> = {
  charge_already_refunded: "The payment was already refunded.",
  charge_disputed: "The payment is disputed: the bank has taken it back.",
};

function outcomeOf({ id, status }: Stripe.Refund): RefundOutcome {
  if (status === "succeeded") return { status: "refunded", reference: id };
  if (status === "failed" || status === "canceled") {
    return { status: "refused", code: status, message: "The card's bank sent the refund back." };
  }
  return { status: "pending", reference: id };
}
