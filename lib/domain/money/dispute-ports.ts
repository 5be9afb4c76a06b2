import type { DisputeStatus, PageQuery } from "@turnpike/payments/protocol";
import type { PaymentDispute } from "../orders/order-ports.ts";
import type { AuditNote, OrderRecord, Page } from "../records.ts";

/** A chargeback of one order, and the evidence that was sent. */
export type DisputeRecord = PaymentDispute & {
  order: OrderRecord;
  owner: string;
  planName: string;
  /** Null until it is sent; written before it is. */
  evidence: Record<string, string> | null;
  submittedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

/** What happened under an order between its payment and its dispute. */
export type DeliveryFacts = {
  planVersion: { version: number; createdAt: Date };
  planDescription: string;
  /** Earlier paid orders of the same account with the builder. */
  earlierOrders: { at: Date; price: bigint; currency: string }[];
  /** Paid calls and their credits. Calls that were refunded are counted apart, and not listed. */
  calls: number;
  credits: bigint;
  refundedCalls: number;
  first: Date | null;
  last: Date | null;
  /** The latest calls, newest first. */
  log: {
    at: Date;
    agentRequestId: string;
    credits: bigint;
    settlementId: string;
    /** As the gate reported it: null when it did not. */
    method: string | null;
    path: string | null;
    httpStatus: number | null;
    workMs: number | null;
  }[];
  /** The last link of the balance's ledger, in hex. */
  ledgerHead: string;
};

export interface Disputes {
  /** Writes what the processor says of a dispute; idempotent. */
  write(order: OrderRecord, dispute: PaymentDispute): Promise<void>;
  find(disputeId: string): Promise<DisputeRecord | null>;
  list(
    owner: string,
    query: PageQuery & { status?: DisputeStatus | undefined },
  ): Promise<Page<DisputeRecord>>;
  readFacts(order: OrderRecord, mostCalls: number): Promise<DeliveryFacts>;
  /** Writes the evidence before it is sent, once: a repeat gets what was written first. */
  keepEvidence(
    disputeId: string,
    evidence: Record<string, string>,
    audit: AuditNote,
  ): Promise<Record<string, string>>;
  /** Forgets evidence that was refused, so that it can be written again. */
  dropEvidence(disputeId: string): Promise<void>;
  /** Notes that the bank has it. Another text, which the bank refuses, may have replaced it meanwhile. */
  markSubmitted(disputeId: string, evidence: Record<string, string>): Promise<void>;
}
