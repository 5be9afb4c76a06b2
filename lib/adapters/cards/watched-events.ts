/** What befalls a payment long after its charge, refund and dispute were made; each event's object names the payment. */
export const LATE_CHANGES = [
  "charge.dispute.updated",
  "charge.dispute.closed",
  "charge.dispute.funds_withdrawn",
  "charge.dispute.funds_reinstated",
  "refund.updated",
  "refund.failed",
] as const;

/** The events that the webhook endpoint must be sent; what others say is looked up, or said by one of these. */
export const WATCHED_EVENTS = [
  "payment_intent.succeeded",
  "payment_intent.payment_failed",
  "charge.refunded",
  "charge.dispute.created",
  ...LATE_CHANGES,
] as const;
