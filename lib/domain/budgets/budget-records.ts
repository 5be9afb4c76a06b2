import type { ApprovalRule, Budgets } from "@turnpike/payments/protocol";

/** Budgets as stored: amounts are decimal strings, because JSON has no bigint; addresses are checksummed. */
export type BudgetsDocument = {
  currency: string;
  limits: Pick<Budgets["limits"][number], "period" | "unit" | "limit" | "builder" | "agentId">[];
  allow?: Budgets["allow"];
  approval?: Omit<ApprovalRule, "above" | "aboveCredits"> & {
    above?: string;
    aboveCredits?: string;
  };
};

/** A request that waits, or waited, for a person. */
export type ApprovalRecord = {
  approvalId: string;
  account: string;
  /** The token that asks; the planned order's key where an API key orders without one. */
  jti: string;
  delegationId: string | null;
  subject: string;
  planId: string;
  builder: string;
  agentId: string | null;
  reason: "amount" | "new-builder" | "outside-hours";
  maxCents: bigint;
  currency: string | null;
  maxCredits: bigint;
  state: "pending" | "approved" | "declined" | "expired" | "used";
  createdAt: Date;
  expiresAt: Date;
  decidedAt: Date | null;
  decidedBy: "person" | "key" | "link" | null;
  decidedKey: string | null;
};
