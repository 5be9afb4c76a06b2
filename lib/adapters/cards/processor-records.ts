import type { Stripe } from "stripe";
import type {
  ProcessorPayment,
  ProcessorRecords,
  ProcessorTransfer,
} from "@/lib/domain/reconciliation/processor-records.ts";
import type { CardParts } from "./card-parts.ts";
import { priceOf } from "./charge-amount.ts";
import { readPurchase } from "./order-metadata.ts";
import { takenBack } from "./payment-outcome.ts";
import { readable } from "./scrub.ts";
import { nullIfMissing } from "./send-once.ts";
import { LATE_CHANGES } from "./watched-events.ts";

const PAGE = 100;

/**
 * Reads what the processor did, by its lists of charges, refunds, disputes and transfers, and by its events where a refund
 * or a dispute changed later. Payments that name no order of
 * this environment are left out: the account may have other uses.
 *
 * @example const { payments } = await createProcessorRecords({ stripe, environment }).listSince(watermark);
 */
export function createProcessorRecords({ stripe, environment }: CardParts): ProcessorRecords {
  async function paymentOf(intent: Stripe.PaymentIntent): Promise<ProcessorPayment | null> {
    const { metadata, currency, latest_charge: charge } = intent;
    const isOurs = metadata.order_id && metadata.environment === environment;
    if (!isOurs || intent.status !== "succeeded" || typeof charge !== "object") return null;
    return {
      paymentId: intent.id,
      orderId: metadata.order_id ?? "",
      purchase: readPurchase(metadata),
      currency,
      received: priceOf(intent.amount_received, currency),
      refunded: priceOf(charge?.amount_refunded ?? 0, currency),
      disputed: charge?.disputed ? priceOf(await takenBack(stripe, intent.id), currency) : 0n,
      createdAt: new Date(intent.created * 1000),
      paidAt: new Date((charge?.created ?? intent.created) * 1000),
    };
  }

  const transferOf = (row: Stripe.Transfer): ProcessorTransfer => {
    const { payout_id: payoutId, environment: of } = row.metadata;
    return {
      transferId: row.id,
      payoutId: payoutId && of === environment ? payoutId : null,
      destination: `${row.destination}`,
      currency: row.currency,
      amount: priceOf(row.amount - row.amount_reversed, row.currency),
    };
  };

  return {
    listSince: (since) =>
      readable(async () => {
        const created = { gte: Math.max(0, Math.floor(since.getTime() / 1000)) };
        const window = { created, limit: PAGE, expand: ["data.payment_intent.latest_charge"] };
        const intents = new Map<string, Stripe.PaymentIntent>();
        let until = 0;
        // Each is asked for once it is read: a list no one waits for yet ends the process when it fails.
        for (const list of [
          () => stripe.charges.list(window),
          () => stripe.refunds.list(window),
          () => stripe.disputes.list(window),
        ]) {
          for await (const { created: at, payment_intent: intent } of list()) {
            until = Math.max(until, at);
            if (intent && typeof intent === "object") intents.set(intent.id, intent);
          }
        }
        until = Math.max(until, await addChanged(stripe, intents, created));
        const transfers: ProcessorTransfer[] = [];
        for await (const row of stripe.transfers.list({ created, limit: PAGE })) {
          until = Math.max(until, row.created);
          // Part of a charge whose builder has an account of their own: the charge says it.
          if (!row.source_transaction) transfers.push(transferOf(row));
        }
        const payments: ProcessorPayment[] = [];
        for (const intent of intents.values()) {
          const payment = await paymentOf(intent);
          if (payment) payments.push(payment);
        }
        return { payments, transfers, until: until === 0 ? null : new Date(until * 1000) };
      }),
    findPayment: (paymentId) =>
      readable(async () => {
        const intent = await findIntent(stripe, paymentId);
        return intent && paymentOf(intent);
      }),
    findTransfer: (transferId) =>
      readable(async () => {
        const row = await stripe.transfers.retrieve(transferId).catch(nullIfMissing);
        return row && transferOf(row);
      }),
  };
}

/** Adds the payments whose refunds and disputes changed; the time of the last change, 0 without one. */
async function addChanged(
  stripe: Stripe,
  intents: Map<string, Stripe.PaymentIntent>,
  created: Stripe.RangeQueryParam,
): Promise<number> {
  let until = 0;
  for await (const event of stripe.events.list({
    created,
    types: [...LATE_CHANGES],
    limit: PAGE,
  })) {
    until = Math.max(until, event.created);
    const { payment_intent: id } = event.data.object as { payment_intent?: string | null };
    if (!id || intents.has(id)) continue;
    const intent = await findIntent(stripe, id);
    if (intent) intents.set(id, intent);
  }
  return until;
}

const findIntent = (stripe: Stripe, paymentId: string): Promise<Stripe.PaymentIntent | null> =>
  stripe.paymentIntents.retrieve(paymentId, { expand: ["latest_charge"] }).catch(nullIfMissing);
