/** An `exact` payment that was sent to a seller. */
export type ExactSent = {
  /** Names it, also for `payments.requests.getRequest`; absent when `signer` paid. */
  authorizationId?: string;
  seller: string;
  network: string;
  /** In the token's smallest unit: millionths of a dollar. */
  amount: string;
  /**
   * What the chain says: `paid`, or `expired` and never to be paid. `open`: the seller can capture it until `expiresAt`.
   * `unknown`: the chain was not read; the seller may have captured it.
   */
  status: "open" | "paid" | "expired" | "unknown";
  expiresAt: string;
  transaction?: string;
};
