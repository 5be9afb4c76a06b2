/** What a payment keeps of the purchase it was made for. */
export type PurchaseFacts = {
  account: string;
  planId: string;
  planVersion: number;
  delegationId: string | null;
  agentId: string | null;
  idempotencyKey: string | null;
  fingerprint: string;
};

/** A payment that went through, as the card processor has it now. Amounts are in the unit of prices. */
export type ProcessorPayment = {
  paymentId: string;
  orderId: string;
  purchase: PurchaseFacts | null;
  currency: string;
  received: bigint;
  /** What went back by refunds, those under way included. */
  refunded: bigint;
  /** What banks have taken back by disputes; it can be more than refunds left. */
  disputed: bigint;
  createdAt: Date;
  /** Later than `createdAt` where the card's holder had to confirm. */
  paidAt: Date;
};

/** Money that was moved to a builder's account, less what was taken back of it. */
export type ProcessorTransfer = {
  transferId: string;
  /** Null when it names no payout of this deployment. */
  payoutId: string | null;
  destination: string;
  currency: string;
  amount: bigint;
};

/** What the card processor lists: read only, and complete. */
export interface ProcessorRecords {
  /**
   * Payments that were made, refunded or disputed since, and transfers; `until` is the processor's time of the latest,
   * null when there is none.
   */
  listSince(since: Date): Promise<{
    payments: ProcessorPayment[];
    transfers: ProcessorTransfer[];
    until: Date | null;
  }>;
  /** A payment as it is now; null when it is unknown or did not go through. */
  findPayment(paymentId: string): Promise<ProcessorPayment | null>;
  findTransfer(transferId: string): Promise<ProcessorTransfer | null>;
}
