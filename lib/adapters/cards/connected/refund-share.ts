import type { Stripe } from "stripe";

type NewRefund = {
  intent: Stripe.PaymentIntent;
  metadata: Record<string, string>;
  /** All that is left when it has none. */
  amount?: number | undefined;
  idempotencyKey: string;
};

/**
 * Has a refund's share come back from the builder's account where the money went on there with the charge: with the refund,
 * which the processor refuses when less than the share is left of the transfer. Then what is left is reversed first, and the
 * refund without it: what was reversed before is the platform's, and owed to the builder. Between the two nothing needs to be
 * kept, because a repeat finds nothing left.
 *
 * @example stripe.refunds.create({ payment_intent, ...(await takeRefundShare(stripe, refund)) });
 */
export async function takeRefundShare(
  stripe: Pick<Stripe, "transfers" | "refunds">,
  { intent, metadata, amount, idempotencyKey }: NewRefund,
): Promise<Pick<Stripe.RefundCreateParams, "reverse_transfer">> {
  const { latest_charge: charge, transfer_data: isSentOn } = intent;
  if (!isSentOn) return {};
  const whole = { reverse_transfer: true };
  if (typeof charge !== "object" || typeof charge?.transfer !== "string") return whole;
  const transfer = await stripe.transfers.retrieve(charge.transfer);
  const refunded = BigInt(amount ?? charge.amount - charge.amount_refunded);
  const share = (refunded * BigInt(transfer.amount)) / BigInt(charge.amount);
  const left = transfer.amount - transfer.amount_reversed;
  if (left >= share) return whole;
  await requireListed(stripe, intent.id, transfer);
  if (left > 0) {
    await stripe.transfers.createReversal(
      transfer.id,
      { amount: left, metadata: { ...metadata, reason: "refund" } },
      { idempotencyKey: `trr_${idempotencyKey}` },
    );
  }
  return {};
}

/** Less may be left because an earlier try of this refund went through, and the processor's list does not show it yet. */
async function requireListed(
  stripe: Pick<Stripe, "refunds">,
  paymentId: string,
  { reversals }: Stripe.Transfer,
): Promise<void> {
  const { data } = await stripe.refunds.list({ payment_intent: paymentId, limit: 100 });
  const listed = new Set(data.map(({ id }) => id));
  for (const { source_refund: refund } of reversals.data) {
    if (refund && !listed.has(`${refund}`)) throw new Error("A refund is not listed yet.");
  }
}
