import type { Stripe } from "stripe";
import type { CardParts } from "./card-parts.ts";

/**
 * What an event asks for: to look at an order's payment or at a payout again, and never more. `refused` events were not
 * signed for one of our endpoints, or too long ago: answer 400 and write nothing.
 */
type WebhookReading =
  | { outcome: "refresh"; orderId: string }
  | { outcome: "payout"; payoutId: string }
  | { outcome: "ignored" }
  | { outcome: "refused"; reason: "signature" | "time" | "environment" };

export type WebhookReader = (rawBody: string, signature: string | null) => Promise<WebhookReading>;

const TOLERANCE_SECS = 300;

type About = {
  id?: string;
  metadata?: Record<string, string> | null;
  payment_intent?: string | { id: string } | null;
};

/**
 * Reads the processor's webhooks: checks the signature over the body's very bytes and finds the order that is
 * meant. What the event says about the payment is not believed: the payment is read again.
 *
 * @example
 * const reading = await readWebhook(await request.text(), request.headers.get("stripe-signature"));
 */
export function createWebhookReader(
  options: CardParts & { secrets: readonly string[] },
): WebhookReader {
  const { stripe, secrets, environment, now = () => new Date() } = options;

  /** The event, if it was signed with the secret of one of the endpoints, at any time or within so many seconds. */
  function open(rawBody: string, signature: string, secs = 0): Stripe.Event | null {
    const at = now().getTime();
    for (const secret of secrets) {
      try {
        const { webhooks } = stripe;
        return webhooks.constructEvent(rawBody, signature, secret, secs, undefined, at);
      } catch {}
    }
    return null;
  }

  return async (rawBody, signature) => {
    const event = open(rawBody, signature ?? "", TOLERANCE_SECS);
    if (!event) {
      // Signed too long ago, or this machine's clock is ahead.
      return { outcome: "refused", reason: open(rawBody, signature ?? "") ? "time" : "signature" };
    }
    if (event.livemode !== (environment === "live")) {
      return { outcome: "refused", reason: "environment" };
    }
    const about = event.data.object as About;
    const payoutId = about.metadata?.payout_id;
    if (payoutId) {
      const isOurs = about.metadata?.environment === environment;
      return isOurs ? { outcome: "payout", payoutId } : { outcome: "ignored" };
    }
    const metadata = hasOrder(about.metadata)
      ? about.metadata
      : await metadataOfPayment(stripe, about.payment_intent);
    if (!hasOrder(metadata) || metadata.environment !== environment) return { outcome: "ignored" };
    return { outcome: "refresh", orderId: metadata.order_id };
  };
}

const hasOrder = (
  metadata: Record<string, string> | null | undefined,
): metadata is Record<string, string> & { order_id: string } =>
  typeof metadata?.order_id === "string";

/** Refunds and disputes name the payment only; the payment names the order. */
async function metadataOfPayment(
  stripe: Stripe,
  payment: About["payment_intent"],
): Promise<Record<string, string> | null> {
  if (!payment) return null;
  const intent = await stripe.paymentIntents.retrieve(
    typeof payment === "string" ? payment : payment.id,
  );
  return intent.metadata;
}
